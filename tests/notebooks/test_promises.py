"""What notebooks promise, and which tests hold them to that."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
PAGE = TESTS.parent / "web" / "src"
PROMISES = {
    # Cells and outputs
    "an .ipynb opens as cells, code runs with a real kernel, outputs stream in": (
        "test_a_notebook_is_edited_run_interrupted_and_restarted",
        "test_cells_run_ask_are_interrupted_die_and_run_again",
    ),
    "text with its colours, \\r keeps the last state, progress bars": (
        "colours and marks become runs, and end where they end",
        "test_a_line_that_is_written_over_has_its_last_state",
        "test_printed_text_is_what_a_cursor_that_moves_sign_by_sign_leaves",
    ),
    "errors, pictures, HTML, Markdown, LaTeX, JSON as a tree, widgets as text with a note": (
        "test_the_form_that_says_most_is_shown",
        "test_json_is_a_tree_and_a_widget_is_its_text",
        "test_pictures_and_pages_are_read_whole",
        "an error's name is not said twice, and an error without one says what it is",
    ),
    "HTML is sanitised, interactive on a click in a frame, SVG a picture": (
        "test_nothing_runs_or_leaves_unasked_and_the_page_goes_on",
    ),
    "update_display_data and clear_output": (
        "test_a_named_display_is_updated_in_whichever_cell_it_is",
        "test_clearing_waits_for_the_next_output_if_told_so",
    ),
    "long outputs fold, huge ones are kept whole and shown by part": (
        "test_a_long_text_is_shown_by_part_and_kept_whole",
        "test_too_much_is_counted_and_left_out",
    ),
    # One live document
    "several tabs and the AI edit cells together, and all converge": (
        "test_all_converge_and_nothing_typed_is_lost",
        "test_every_text_has_cells_and_nothing_typed_is_in_none_of_them",
    ),
    "review per cell and within a cell": (
        "test_an_edit_of_ai_waits_within_its_cell_and_a_stale_one_is_refused",
        "edits that wait are told within their cell, and a cell that came as a whole",
        "test_a_cell_is_seen_while_the_ai_writes_it_and_reviewed_in_its_place",
    ),
    "authorship, threads, comments, suggestions, find and replace": (
        "test_who_wrote_what_is_shown_in_cells_and_a_selection_is_transformed",
        "test_a_thread_on_words_of_a_cell_is_answered_stays_with_them_and_is_resolved",
        "test_a_suggestion_goes_on_from_the_cells_around_in_code_and_in_text",
        "test_words_are_found_and_replaced_in_all_cells",
    ),
    "adding, deleting, moving, changing the kind: edits, undoable": (
        "cells are added, moved, split, joined, changed and deleted, and every step is undone",
        "test_several_cells_are_selected_moved_taken_away_and_brought_back_by_keys",
        "test_a_cell_that_comes_back_has_its_outputs_and_metadata_again",
    ),
    "ids of cells stay": (
        "test_cells_without_ids_keep_those_they_were_given_whoever_changes_the_file",
        "test_a_cell_of_another_kind_keeps_its_id_and_has_what_its_kind_has",
    ),
    # The file
    "an unchanged notebook keeps every byte, real and generated": (
        "test_real_notebooks_come_back_byte_for_byte_and_so_after_an_edit_that_is_taken_back",
        "test_a_thousand_generated_notebooks_are_kept_and_edited_as_a_json_writer_would",
        "test_generated_notebooks_come_back_byte_for_byte_and_so_after_cells_went_and_came",
    ),
    "editing a cell changes only its lines, a saved run only outputs": (
        "test_an_edit_changes_the_lines_of_its_cell_and_no_other",
        "test_an_edit_of_a_cell_changes_only_its_lines_and_outputs_only_theirs",
        "test_cells_run_and_what_they_answer_is_in_the_file",
    ),
    "a broken or newer file is read-only with what is wrong": (
        "test_a_broken_file_says_what_is_wrong",
        "test_a_newer_file_and_one_with_a_name_twice_are_read_but_not_changed",
        "test_what_can_not_be_edited_says_why",
    ),
    "stripping outputs is a choice of the project": (
        "test_outputs_that_are_left_out_of_the_file_stay_on_the_page_and_for_ai",
        "test_outputs_are_left_out_where_that_was_chosen_and_nothing_else_is_touched",
    ),
    # Kernels
    "every kernelspec and the folder's .venv, start, interrupt, restart, death": (
        "test_one_kernel_from_its_start_to_its_end",
        "test_a_page_hears_of_every_start_of_a_kernel_whoever_starts_it",
        "test_a_kernel_that_does_not_start_says_why",
        "test_a_kernel_starts_although_the_folder_for_temporary_files_lies_deep",
        "test_an_error_in_recto_itself_ends_a_start_and_is_told",
        "test_a_run_that_fails_in_a_way_nobody_foresaw_ends_and_says_how",
    ),
    "a second language": (
        "test_a_shell_runs_keeps_its_variables_fails_and_is_interrupted",
        "test_a_notebook_of_another_language_runs_and_its_cells_are_stale_by_their_place",
    ),
    "private sockets, CurveZMQ, refused, or allowed by a setting": (
        "test_a_kernel_without_private_sockets_encrypts_or_is_refused_or_allowed_by_name",
    ),
    "a kernel belongs to the notebook, and is kept over a restart if wanted": (
        "test_a_renamed_notebook_keeps_its_kernel_and_is_forgotten_with_it",
        "test_a_kept_kernel_is_found_again_with_its_variables_and_ends_when_it_shall",
    ),
    "idle time-out": ("test_a_kernel_that_nobody_uses_ends_and_says_so",),
    "nothing is left, nothing shown is lost, whoever is killed": (
        "test_nothing_shown_is_lost_and_no_process_is_left",
        "test_nothing_is_left_of_a_kernel_when_its_program_is_killed",
        "test_what_was_shown_before_a_crash_is_in_the_file_after_it",
        "test_after_a_crash_at_any_byte_the_outputs_are_those_of_some_moment",
    ),
    "a kernel in the sandbox": (
        "test_a_kernel_in_the_sandbox_works_in_its_folder_and_reaches_nothing_else",
        "test_what_git_would_obey_is_neither_changed_nor_made_where_there_is_none",
        "test_the_network_is_there_when_it_is_allowed_and_a_missing_sandbox_is_said",
        "a kernel says what it may do, and what is chosen for the next one when it is gone",
    ),
    # Stale, input, variables
    "stale by edits and by names, elsewhere by place": (
        "test_a_name_that_was_defined_anew_makes_those_stale_that_use_it",
        "test_names_of_functions_classes_and_comprehensions_define_nothing_for_others",
        "test_where_nobody_knows_the_names_the_place_counts",
    ),
    "input() and getpass ask in the page": (
        "test_a_question_goes_when_whoever_ran_the_cell_is_stopped",
        "test_a_notebook_is_edited_run_interrupted_and_restarted",
    ),
    "what the kernel knows of code: Tab and Shift+Tab": (
        "test_names_go_on_and_are_explained_and_a_busy_kernel_is_not_waited_for",
        "test_a_kernel_that_answers_oddly_offers_nothing",
        "test_names_of_the_kernel_go_on_by_tab_and_are_explained_by_shift_tab",
        "of several ways a list is offered, and Tab takes the first",
    ),
    "a new notebook, pictures in texts, an environment without a kernel": (
        "test_a_new_notebook_has_one_empty_cell_and_any_python",
        "test_a_new_notebook_is_made_written_and_run_by_keys_alone",
        "test_pictures_in_a_text_are_shown_from_the_cell_the_text_and_beside_the_notebook",
        "test_a_picture_for_fine_screens_has_the_width_that_it_was_made_for",
        "test_cells_are_copied_from_one_notebook_to_another",
        "test_an_environment_without_a_kernel_is_told_with_what_to_do",
    ),
    # Tools
    "a notebook is read by outline, ids, range, heading, words, with bounds and pictures": (
        "test_a_notebook_is_read_by_outline_id_range_heading_and_words",
        "test_an_answer_has_its_bound_and_the_rest_a_handle",
    ),
    "cells are edited from what was read; else the fresh text comes": (
        "test_cells_are_edited_added_moved_and_deleted_as_recorded_changes",
        "test_no_interleaving_of_stale_reads_and_typing_loses_an_update",
    ),
    "write_file, edit_file and what other programs write become changes by cell": (
        "test_what_text_tools_write_becomes_changes_by_cell",
        "test_all_converge_and_nothing_typed_is_lost",
    ),
    "running asks once for each notebook and names what nobody reviewed": (
        "test_running_asks_once_for_each_notebook_and_names_what_nobody_reviewed",
    ),
    "an edit by the AI shows in its cell as it happens": (
        "test_a_cell_is_shown_while_it_is_written_and_no_longer",
        "test_any_beginning_of_arguments_tells_what_is_there_of_each_text",
        "test_a_cell_is_seen_while_the_ai_writes_it_and_reviewed_in_its_place",
    ),
    # Without a page, and out of Recto
    "recto run runs notebooks without a page": ("test_a_turn_runs_a_notebook_without_a_page",),
    "recto notebook run, its time-out and its exit code": (
        "test_a_notebook_runs_up_to_its_first_error",
        "test_a_cell_that_takes_too_long_is_interrupted",
        "test_what_can_not_be_run_is_said",
    ),
    "PDF, HTML, DOCX with outputs": (
        "test_a_notebook_is_published_with_what_its_cells_have_answered",
        "test_a_broken_notebook_is_not_published_and_says_why",
    ),
    "hostile files and outputs": (
        "test_what_is_too_much_is_refused_in_words",
        "test_any_damage_is_read_or_said",
        "test_what_has_another_form_becomes_words_or_nothing",
    ),
}
TEST = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
PAGE_TEST = re.compile(r'^test\("([^"]+)"', re.MULTILINE)


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """The name of every test of notebooks, in Python and of the page."""
    folders = ("notebooks", "journeys", "attacks", "chats", "cli", "publishing")
    files = [path for folder in folders for path in (TESTS / folder).glob("test_*.py")]
    names = {name for path in files for name in TEST.findall(path.read_text(encoding="utf-8"))}
    pages = [path for room in ("notebooks", "editor/notebook") for path in (PAGE / room).rglob("*")]
    return names | {
        name
        for path in pages
        if path.name.endswith(".test.ts")
        for name in PAGE_TEST.findall(path.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_has_its_tests(tests: set[str], promise: str) -> None:
    assert [name for name in PROMISES[promise] if name not in tests] == []
