"""What research, the library, citing and publishing promise, and which tests hold them to that."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = (
    *("assist", "cli", "gateway", "journeys", "mcp", "publishing", "references", "research"),
    *("reviews", "server", "tools"),
)
PAGE = ("references", "publishing", "editor/citing")
PROMISES = {
    # Papers
    "OpenAlex, Exa, CrossRef: each in its time, what failed before is said": (
        "test_openalex_answers_and_nobody_else_is_asked",
        "test_exa_is_next_and_says_what_is_missing",
        "test_crossref_is_the_last_and_needs_no_key",
        "test_without_keys_the_gateway_searches",
        "test_a_refused_key_is_told_without_it",
        "test_a_fallback_begins_with_its_note_and_all_failures_are_one_error",
    ),
    "when all fail, one structured error with what to do": (
        "test_when_all_fail_each_says_why",
        "test_a_fallback_begins_with_its_note_and_all_failures_are_one_error",
    ),
    "results cut to what serves discovery, abstracts of 300 characters": (
        "test_papers_come_in_a_few_lines_each",
        "test_papers_come_cut_to_what_serves_and_cost_a_tenth_of_a_cent",
        "test_an_abstract_is_put_together_and_cut",
    ),
    "five by default, ten at most": ("test_five_papers_are_asked_for_and_ten_are_the_most",),
    "every result comes into the library in one step, from the chat too": (
        "each paper of a search can be added, and what failed before is said",
        "test_a_work_is_added_by_its_doi",
        "test_papers_are_found_for_citing_and_their_failure_is_told",
    ),
    # Web
    "web_search is always there, and says how it is enabled": (
        "test_the_web_is_searched_or_the_model_is_told_how_to_enable_it",
        "test_one_switch_takes_all_of_them_away",
        "test_the_web_is_searched_and_the_key_stays_here",
    ),
    "fetch_url: Markdown with title and date, PDFs, ten addresses, 10,000 characters, a handle": (
        "test_a_page_is_read_as_markdown_and_long_ones_by_handle",
        "test_a_pdf_is_read_and_more_than_ten_addresses_are_not",
    ),
    "http alone, five redirects, 10 MB, 20 s": (
        "test_only_plain_web_addresses_are_fetched",
        "test_a_page_that_does_not_come_is_given_up",
        "test_pages_are_fetched_within_their_limits",
    ),
    "never one's own network: any form, any redirect, any change of a name; nobody connects": (
        "test_no_form_of_an_own_address_is_connected_to",
        "test_a_name_that_means_an_own_address_is_not_connected_to",
        "test_a_redirect_and_a_second_answer_are_checked_like_the_first",
        "test_which_addresses_are_public",
        "test_a_name_that_changes_its_answer_gains_nothing",
    ),
    "what was fetched is other people's text": (
        "test_what_runs_or_reaches_out_asks_once_text_of_others_was_read",
    ),
    "one switch turns off all that reaches out, tools of MCP servers too": (
        "test_one_switch_takes_all_of_them_away",
        "test_one_rule_turns_off_all_that_reaches_out",
        "test_the_one_switch_turns_a_servers_tools_off_too",
        "test_a_work_is_looked_up_and_the_switch_stops_that",
        "test_the_switch_is_off_and_a_command_can_t_smuggle_a_citation_in",
    ),
    # The library
    "a paper takes over what its proceedings say": (
        "test_a_paper_takes_over_what_its_proceedings_say",
    ),
    "an edit changes its entry alone, in drawn files and in real ones": (
        "test_every_drawn_file_is_understood_and_an_edit_changes_its_entry_alone",
        "test_in_every_real_file_an_edit_changes_its_entry_alone",
        "test_an_edit_is_written_as_the_entry_is",
        "test_in_any_file_an_edit_changes_its_item_alone",
        "test_an_edit_touches_its_entry_in_whichever_file_it_is",
        "test_an_entry_that_was_taken_out_is_put_back_byte_for_byte",
    ),
    "several files are one library, read again when they change": (
        "test_all_files_are_one_library_and_every_word_must_be_found",
        "test_a_change_on_disk_is_there_at_the_next_look_and_only_that_file_is_read",
        "test_what_can_not_be_read_is_named_and_not_written_over",
    ),
    "a bibliography in the front matter counts for its document": (
        "test_a_document_counts_with_the_bibliography_it_names",
    ),
    "Zotero's export is read-only and shows its age, its local API is read where it runs": (
        "test_new_entries_go_to_our_own_file_and_zoteros_stay",
        "an export of another program shows how old it is",
        "test_zotero_is_read_where_it_runs",
    ),
    "search by all words of title, key, DOI, year, authors, tags, journal, abstract": (
        "test_all_files_are_one_library_and_every_word_must_be_found",
        "test_a_search_overlooks_case_and_accents",
        "test_a_whole_key_is_found_before_keys_that_begin_with_it",
        "test_the_library_is_searched_and_read",
    ),
    "add by DOI, arXiv, ISBN, PMID, address, title or a citation, CrossRef first": (
        "test_a_work_is_found_by_what_names_it",
        "test_a_page_says_its_doi",
        "test_an_odd_record_is_none",
        "test_a_doi_becomes_an_entry_that_can_be_undone",
        "test_a_folder_without_a_library_gets_one",
    ),
    "then the cheapest model; unsure or over budget nothing, and it is said": (
        "test_what_is_not_surely_the_same_work_goes_to_a_model",
        "test_when_nobody_knows_it_says_what_was_tried",
        "test_the_cheapest_model_reads_the_work_and_adds_nothing",
        "test_what_it_is_not_sure_of_or_makes_up_is_nothing",
        "test_over_budget_nobody_is_asked_and_it_is_said",
        "test_what_a_model_read_is_said_to_be_unverified",
        "test_what_nobody_knows_is_not_added",
    ),
    "cite_reference, edit_reference": (
        "test_a_citation_stands_before_the_full_stop_and_joins_its_neighbour",
        "test_an_edit_changes_its_entry_alone",
    ),
    "duplicates by DOI and by titles of more than 0.85 of the same words": (
        "test_a_work_that_is_there_is_known_by_its_doi_or_its_title",
        "test_titles_are_the_same_above_85_percent_and_not_at_it",
        "test_duplicates_are_found_among_all",
    ),
    "keys for any script, unique and stable over 10,000 names": (
        "test_keys_are_family_name_and_year_in_any_script",
        "test_ten_thousand_names_have_keys_of_their_own_that_stay",
        "keys are found in any script",
    ),
    "import of BibTeX, BibLaTeX, RIS, EndNote, CSL-JSON": (
        "test_lists_of_other_programs_are_imported_once",
        "test_works_that_are_added_at_once_stand_as_if_one_by_one",
        "a list's format is known by its name, else by its first words",
    ),
    "PDFs: their DOI in text and metadata, the file attached": (
        "test_a_pdf_is_kept_with_the_work_whose_doi_it_names",
        "test_a_pdf_says_its_doi_in_its_metadata_before_the_works_that_it_cites",
    ),
    "the References tab: sorted, filtered, added to by pasting, edited, merged with a preview": (
        "test_the_list_is_searched_sorted_filtered_and_comes_in_pages",
        "test_one_entry_is_read_edited_and_deleted_and_the_rest_stays",
        "test_two_entries_become_one_and_the_documents_follow",
        "test_from_the_library_to_a_pdf",
        "what names a work is told from words to look for",
        "a row says what is missing",
    ),
    "an attached PDF opens beside": ("test_a_work_is_added_by_its_doi",),
    "retractions, and preprints that were published": (
        "test_a_retraction_and_a_published_preprint_are_told_and_taken",
        "a row says what became of a work before what it lacks",
    ),
    # Citing
    "pandoc's syntax": (
        "citations are found as pandoc reads them, and nothing else is",
        "citations that are written alike have names of their own",
    ),
    "@ completes from the library, then from papers": (
        "what is typed behind @ is completed from the library, then from papers, in any script",
    ),
    "hover shows the entry": ("test_from_the_library_to_a_pdf",),
    "unknown keys are underlined, with a way to add them": (
        "a rendered text shows citations as they print, unknown keys with a way to add them,"
        " and the bibliography",
        "test_a_work_is_added_by_its_doi",
    ),
    "rendered in the document's style, numbers in order, any CSL file": (
        "test_numeric_styles_count_in_the_order_of_the_text_and_any_csl_file_will_do",
        "test_a_style_file_that_points_to_another_is_that_one_and_what_is_none_is_told",
        "test_citations_show_as_they_print_and_a_document_is_published",
    ),
    "the bibliography at its place": (
        "the bibliography stands in place of its lines, unless the cursor is in them",
    ),
    "three verdicts; a real work with wrong data is not called invented": (
        "test_each_verdict_says_what_is_wrong",
        "test_what_crossref_lacks_datacite_and_openalex_are_asked_for",
        "test_an_entry_is_compared_with_the_services_records",
    ),
    "1,000 references: correlation of 0.80, a tenth of false alarms at most": (
        "test_the_bench_of_1000_references",
        "test_the_same_1000_references_written_out_in_a_text",
        "test_1000_references_by_author_and_year",
        "test_prose_that_looks_like_references_is_left_alone",
    ),
    "cite or mark, in whatever an AI writes": (
        "test_a_key_that_nobody_has_is_marked_and_its_neighbours_stay",
        "test_references_in_words_are_checked_as_well",
        "test_a_work_is_known_by_its_names_and_year_its_number_or_its_line",
        "test_names_of_people_and_bare_numbers_of_real_works_are_left_alone",
        "test_without_an_answer_nothing_is_verified",
        "test_whoever_writes_for_an_ai_has_its_texts_checked",
    ),
    "no invented reference survives accept all, and the report names each": (
        "test_no_invented_reference_survives_accept_all",
        "test_from_the_library_to_a_pdf",
    ),
    "quotations: verified, not found, no text": (
        "test_a_quotation_belongs_to_the_citation_in_or_behind_its_sentence",
        "test_letters_count_and_line_ends_and_quotation_marks_don_t",
        "test_the_report_names_what_was_marked_and_looks_quotations_up",
        "a claim without a source is marked, and a quotation that its source does not have",
        "a quotation says where it is",
    ),
    "a report of citations, verdicts, unused entries, claims": (
        "test_the_report_names_what_was_marked_and_looks_quotations_up",
        "test_two_entries_become_one_and_the_documents_follow",
    ),
    # Publishing
    "40 citations, figures, tables, math: PDF and DOCX say what the preview shows": (
        "test_a_draft_becomes_pdf_and_docx_with_all_it_cites_as_the_preview_shows_it",
    ),
    "HTML, LaTeX, ODT, EPUB, with the same numbers": ("test_the_other_formats_hold_the_citations",),
    "templates and reference documents": (
        "test_a_word_document_has_the_styles_of_its_template",
        "test_what_a_template_says_is_in_the_result",
        "test_the_samples_text_becomes_a_pdf_by_its_own_template",
    ),
    "in the page with preview and progress, and by recto publish": (
        "test_from_the_library_to_a_pdf",
        "test_a_page_is_drawn_and_what_is_unknown_is_said",
        "test_what_waits_for_review_is_published_only_if_it_is_wanted",
        "test_the_samples_text_becomes_a_pdf_by_its_own_template",
        "the command of a terminal says all that was chosen",
    ),
    "nothing from outside, pandoc and Typst confined": (
        "test_nothing_from_outside_gets_into_the_result",
        "test_only_what_is_on_the_list_is_handed_over",
        "test_pictures_are_those_of_the_folder",
        "test_pandoc_and_python_are_held_to_their_folder_without_the_network",
    ),
    "tagged PDFs with alternative texts and language": (
        "test_a_pdf_has_its_language_and_the_words_of_its_pictures",
    ),
    "what is broken is told with its place": (
        "test_a_link_to_nowhere_and_a_label_of_two_places_are_told_and_stop_no_pdf",
        "test_what_is_no_markdown_is_left_out_and_told",
        "test_a_broken_head_and_a_picture_that_is_gone_are_told_with_their_place",
    ),
    "a folder can be a book": (
        "test_a_book_is_its_chapters_in_their_order_with_one_count_of_figures",
    ),
    "notebooks are published, drafts come back from Word": (
        "test_a_notebook_is_published_with_what_its_cells_have_answered",
        "test_changes_of_a_published_document_come_back_as_edits_to_review_and_comments",
    ),
}
TEST = re.compile(
    r"""^\s*(?:(?:async )?def (test_\w+)|test(?:\.each\(.*?\))?\("((?:[^"\\]|\\.)+)")""",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """The names of the tests, those of the page too."""
    files = [file for place in PLACES for file in (ROOT / "tests" / place).glob("test_*.py")]
    for place in PAGE:
        files += (ROOT / "web" / "src" / place).rglob("*.test.ts")
    return {
        name
        for file in files
        for found in TEST.findall(file.read_text(encoding="utf-8"))
        for name in found
        if name
    }


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_has_its_tests(tests: set[str], promise: str) -> None:
    assert [name for name in PROMISES[promise] if name not in tests] == []
