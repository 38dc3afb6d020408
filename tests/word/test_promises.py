"""What is promised of Word documents, and which tests hold it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROMISES = {
    # The file
    "open and save changes no byte; an edit changes one paragraph and one part": (
        "test_a_document_that_nobody_changed_is_saved_as_the_very_bytes",
        "test_one_edit_changes_one_part_and_every_other_keeps_its_packed_bytes_and_place",
        "test_in_every_paragraph_of_real_documents_a_typed_word_changes_that_one_alone",
        "test_one_edit_by_ai_in_any_paragraph_changes_that_one_and_can_be_taken_out",
        "test_one_comment_changes_its_paragraph_and_the_parts_that_comments_need",
        "test_only_the_edited_paragraph_changes_in_odd_xml",
        "test_page_breaks_fields_and_what_nobody_knows_keep_their_bytes_beside_an_edit",
    ),
    "no library writes documents in the page, and no id is written into what nobody changed": (
        "test_the_page_comes_with_no_library_that_writes_documents",
        "test_only_the_middle_that_differs_is_replaced_by_whole_words_in_its_format",
    ),
    "paragraph numbers are kept here and found again by alignment": (
        "test_a_paragraph_is_found_again_by_its_words_and_place",
        "test_a_number_is_never_given_twice",
        "test_a_word_document_is_read_searched_and_edited_with_numbers_that_stay",
    ),
    "deletions are hidden from the AI, insertions are text": (
        "test_a_paragraph_that_a_change_deletes_is_hidden_and_its_numbers_are_not_given_away",
        "test_edits_inside_somebodys_insertion_leave_it_theirs",
    ),
    "read_file, search, mentions, contexts and tokens see one text": (
        "test_a_word_document_is_read_searched_and_edited_with_numbers_that_stay",
        "test_an_attached_document_is_sent_as_numbered_markdown",
        "test_every_encoding_is_counted_as_it_would_be_sent",
    ),
    "saved atomically: never torn, nothing acknowledged lost": (
        "test_kills_while_typing_tear_no_document_and_lose_nothing",
    ),
    "a document that another program has open says so": (
        "test_a_document_that_word_has_open_says_so",
        "test_a_page_is_read_edited_commented_and_taken_over",
    ),
    "hostile packages: a clear error, nothing fetched, macros kept and never run": (
        "test_a_hostile_package_is_refused_in_words",
        "test_a_part_that_defines_a_document_type_is_refused",
        "test_a_part_in_utf_16_is_refused_rather_than_read_past_the_check",
        "test_deep_xml_is_refused",
        "test_any_bytes_are_a_document_or_refused",
        "test_nothing_outside_of_a_document_is_ever_fetched",
        "test_a_part_that_is_added_comes_last_and_macros_stay_as_they_are",
    ),
    # Edits by AI
    "tracked changes of exact passages, cut at words, in the format of what they replace": (
        "test_only_the_middle_that_differs_is_replaced_by_whole_words_in_its_format",
        "test_cells_of_a_table_are_edited_and_its_rows_stay",
        "test_paragraphs_are_added_and_removed_with_their_marks",
        "test_a_heading_and_a_list_item_get_the_documents_own_styles",
        "test_a_passage_over_several_paragraphs_needs_no_numbers",
    ),
    "reject-all is the original, accept-all what was meant": (
        "test_accepting_and_rejecting_all_gives_what_was_meant_and_what_was_there",
        "test_random_edits_reject_to_the_original_and_accept_to_what_was_meant",
        "test_a_field_is_deleted_whole_and_comes_back_whole",
        "test_changes_are_listed_with_their_words_and_settled_one_by_one",
        "test_changes_are_listed_settled_one_by_one_and_all",
    ),
    "undo of a run takes its edits out, also of what Word saved since": (
        "test_an_edit_is_taken_back_exactly_and_out_of_what_word_saved_since",
        "test_taking_an_edit_back_leaves_what_was_changed_elsewhere_in_the_document",
        "test_taking_an_edit_back_leaves_what_was_changed_in_its_paragraph",
        "test_words_that_both_sides_changed_are_nobodys_to_overrule",
    ),
    "a signed or protected document is not broken": (
        "test_a_signed_or_protected_document_is_refused_and_said",
        "test_a_document_in_which_all_changes_are_tracked_takes_tracked_changes",
    ),
    "a missing or ambiguous passage shows the nearest text; over budget is an error": (
        "test_a_passage_that_is_not_there_or_not_alone_is_an_error_with_what_is",
        "test_what_can_not_be_done_is_said_and_nothing_is_changed",
        "test_a_small_file_can_not_take_the_machines_memory",
        "test_a_reader_is_ended_by_stop_and_by_its_time",
    ),
    # The page
    "typing, formats, styles, lists, links, cells, rows, breaks, undo": (
        "test_an_edit_is_what_was_meant_and_rejected_nothing_at_all",
        "test_formats_styles_lists_links_and_rows",
        "test_a_new_row_is_typed_in_at_once",
        "test_a_break_of_the_page_is_one_of_words_own",
        "test_going_on_to_type_leaves_one_change_and_taking_it_back_none",
        "test_what_was_taken_away_comes_back_as_it_was",
        "test_a_document_is_typed_in_changed_by_the_ai_reviewed_and_taken_over",
    ),
    "what can't be edited is shown and kept": (
        "test_what_is_no_text_is_shown_and_kept",
        "test_notes_formulas_headers_and_pictures_are_shown",
        "test_what_can_not_be_changed_is_refused_in_words",
        "test_a_formula_reads_as_one_writes_it_in_a_line",
    ),
    "what changed on both sides is merged, or both are shown": (
        "test_two_changes_of_one_paragraph_are_merged_by_their_words_or_both_shown",
    ),
    "comments of Word are threads, both ways, with answers and what is resolved": (
        "test_a_comment_is_answered_and_resolved_in_the_parts_that_comments_need",
        "test_a_comment_is_put_on_words_of_a_document_that_had_none",
        "test_what_is_resolved_in_word_is_resolved_here_and_the_other_way_round",
        "test_a_comment_is_answered_and_resolved_and_a_new_one_made",
    ),
    "an answer of the AI stays here, and can be put into the comment": (
        "an answer about a comment is kept for it, and asked for once",
        "test_a_document_is_typed_in_changed_by_the_ai_reviewed_and_taken_over",
    ),
    "suggestions, transforms and the agent with its four tools": (
        "what is suggested shows at the caret, is taken by Tab, and is one step of undo",
        "test_the_document_agent_reads_searches_and_tracks_its_edits",
        "test_a_transform_changes_the_selected_words_of_one_paragraph",
        "test_a_selection_that_is_not_in_the_document_is_refused",
    ),
    "authorship as far as the text tells, and a statement": (
        "test_its_statement_says_what_the_ai_wrote_and_what_became_of_it",
        "test_what_stays_keeps_its_writer_and_what_comes_is_of_whoever_made_the_change",
        "test_what_is_rejected_or_put_back_counts_on_neither_side",
        "test_what_was_pasted_or_suggested_is_not_typed",
        "test_whatever_changes_every_letter_has_one_writer",
        "what is pasted or taken over is told with the edits that it is in",
    ),
    "what changes in an open document is read and sent alone, and is what it is as a whole": (
        "test_any_blocks_that_come_go_and_change_are_told",
        "test_what_ai_changes_is_told_without_reading_the_rest",
        "test_what_is_broken_is_refused_as_it_is_as_a_whole",
        "test_a_process_that_holds_a_document_tells_what_is_other_and_has_no_second_one",
        "test_whoever_shows_a_document_is_sent_what_is_other_and_no_more",
        "of a document that is shown only what is other is read; the rest stays the very same",
    ),
    # Other formats
    ".odt and .rtf through pandoc, .doc through LibreOffice, or a clear message": (
        "test_documents_of_other_word_processors_come_as_markdown",
        "test_what_no_reader_reads_says_what_to_do",
        "test_an_old_document_reads_as_its_text_and_leaves_nothing_behind",
        "test_it_reads_no_file_outside_of_its_folder",
    ),
    "out to Word and back: exactly what was changed and said": (
        "test_a_document_that_nobody_changed_brings_back_nothing",
        "test_hundreds_of_changes_and_comments_come_back_as_exactly_these",
        "test_whole_paragraphs_looks_and_signs_come_back_and_what_has_no_place_is_listed",
        "test_rows_of_tables_come_and_go_and_half_a_row_is_told",
        "test_a_draft_that_only_went_through_it_brings_back_nothing",
        "test_edits_and_comments_made_there_come_back_as_exactly_these",
        "test_changes_of_a_published_document_come_back_as_edits_to_review_and_comments",
        "test_a_copy_that_came_back_is_opened_and_brought_into_its_draft",
    ),
    "LibreOffice and python-docx read what Recto wrote": (
        "test_it_reads_the_words_changes_and_comments_that_recto_wrote",
    ),
}
PYTHON = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
PAGE = re.compile(r'^test\("([^"]+)"', re.MULTILINE)
FOLDERS = ("attacks", "chats", "faults", "journeys", "projects", "publishing", "server", "tools")


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """The name of every test of these rooms, and of the page."""
    here = ROOT / "tests"
    files = [path for name in (*FOLDERS, "word") for path in (here / name).rglob("test_*.py")]
    pages = (ROOT / "web/src").rglob("*.test.ts")
    return {
        name
        for paths, pattern in ((files, PYTHON), (pages, PAGE))
        for path in paths
        for name in pattern.findall(path.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_has_its_tests(tests: set[str], promise: str) -> None:
    assert [name for name in PROMISES[promise] if name not in tests] == []
