"""What is promised of MCP, and which tests hold it: by their names, or as a scenario of the suite.

A name with a slash or a hyphen is a scenario of the official conformance suite that applies to us.
"""

import re
from pathlib import Path

import pytest

from tests.mcp.client_scenarios import APPLYING

TESTS = Path(__file__).parent.parent
PAGE = TESTS.parent / "web" / "src"
PROMISES = {
    # The protocol
    "both revisions and what came before, over stdio and streamable HTTP": (
        "test_every_scenario_that_a_revision_requires_passes_if_it_applies",
        "test_older_servers_are_signed_in_to_and_every_scenario_is_named",
        "test_another_rectos_tools_work_in_a_chat_and_its_refusal_is_told",
        "test_each_tool_of_servers_that_people_use_works_in_a_chat",
    ),
    "each request of the new revision carries version and abilities": (
        "request-metadata",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
    ),
    "roots, sampling and logging are not offered": (
        "test_a_server_is_told_of_questions_tasks_and_apps_and_of_nothing_given_up",
    ),
    "input that a server requires is asked for and the call made again": (
        "sep-2322-client-request-state",
        "test_a_server_asks_the_person_whose_call_it_is",
    ),
    "a broken stream loses its request alone; lists are asked for again, calls are not": (
        "test_an_address_that_never_ends_or_sends_too_much_harms_its_call_alone",
        "sse-retry",
    ),
    "tasks: opted in to, followed, answered, cancelled": (
        "test_a_task_is_followed_to_its_end_and_ends_with_stop",
    ),
    "apps: in a frame without an origin, under the same permissions": (
        "test_an_apps_frame_reaches_only_what_was_named_and_agreed_to",
        "test_what_a_tool_says_of_apps_is_read_with_care",
        "test_an_app_is_kept_with_its_answer_and_calls_under_our_permissions",
        "test_an_app_is_shown_asks_through_us_and_gets_nowhere_else",
        "nonsense is passed over, and an app that floods is ended",
    ),
    "a broken envelope means an old server": ("test_a_server_that_fails_harms_only_its_own_call",),
    "discovery is kept over a restart": (
        "test_what_discovery_told_is_kept_over_a_restart",
        "test_a_server_that_is_not_what_it_was_is_asked_anew",
        "test_a_server_that_says_something_else_at_each_start_runs",
    ),
    "lists say how long they hold": (
        "test_a_list_that_has_ended_is_asked_for_again_when_it_is_needed",
    ),
    # Configuration
    "the common shape in the home and the folder": (
        "test_what_is_wrong_with_a_server_is_said_and_the_others_work",
        "test_adding_and_removing_leaves_the_rest_of_the_file",
        "test_two_that_add_at_once_both_stand_in_the_file",
        "test_a_name_that_is_taken_is_refused_and_its_server_goes_on",
        "test_of_a_removed_server_nothing_is_left_for_another_of_its_name",
    ),
    "files of other programs only if the user says so": (
        "test_files_of_other_programs_are_read_only_if_the_user_says_so",
        "what changes elsewhere shows, and another program's file is read only if one says so",
    ),
    "keys by reference, plain secrets warned about": (
        "test_keys_are_named_and_plain_secrets_are_warned_about",
        "test_another_rectos_tools_work_in_a_chat_and_its_refusal_is_told",
    ),
    "the exact command is approved, and a change asks again": (
        "test_a_folders_server_starts_only_as_it_was_approved",
        "test_what_can_not_be_seen_is_written_out",
        "a folder's server shows exactly what it would run, and starts only when that is approved",
        "what was kept off can be looked at again, and approved",
        "test_servers_are_added_signed_in_to_ticked_and_survived",
    ),
    "the commands": ("test_a_server_is_added_tried_and_removed",),
    "the settings page": (
        "a server shows its state, its tools and their tokens, and each tool's permission is set",
        "one that failed says why, shows its log, and starts again; one may be signed in to at an "
        "address shown whole",
        "a server is added by its command or address, and removed after a question",
        "test_servers_are_added_signed_in_to_ticked_and_survived",
    ),
    # Tools
    "server__tool, mapped both ways where a name is too long": (
        "test_every_tool_has_a_name_of_its_own_that_providers_take",
        "test_a_name_that_is_too_long_is_the_servers_own_again_when_it_is_called",
        "test_Q22_every_name_comes_back_to_the_request_that_sent_it",
        "a tool of an MCP server is called by the server's name and its own",
    ),
    "the server's picture": (
        "test_a_servers_picture_is_its_own",
        "test_a_picture_is_read_from_the_servers_own_host_alone",
    ),
    "our permissions: ask by default, hints are not believed": (
        "test_a_servers_tools_work_in_a_chat",
        "test_orders_and_borrowed_names_change_nothing",
    ),
    "a changed tool is off until its difference was seen": (
        "test_a_tool_that_changes_is_off_until_it_is_seen",
        "test_a_tool_that_changes_while_its_call_waits_is_not_called",
        "test_order_and_white_space_are_no_change_but_words_are",
        "a tool that changed is off, shows its difference, and is on again once seen",
    ),
    "changed words can be trusted": (
        "test_changed_words_can_be_trusted_and_a_changed_schema_never_is",
    ),
    "input and output are checked against their schemas": (
        "test_a_servers_tools_work_in_a_chat",
        "test_every_kind_of_answer_is_read",
        "test_a_schema_can_neither_hang_nor_fetch",
        "test_what_could_take_years_is_left_to_the_server",
        "test_what_multiplies_ends_and_what_is_quick_is_checked",
        "json-schema-2020-12-preservation",
        "json-schema-ref-no-deref",
    ),
    "answers of every kind": (
        "test_every_kind_of_answer_is_read",
        "every kind of an answer has its part, and what is not what it says is a file or words",
    ),
    "long answers by handle": (
        "test_without_the_setting_beginning_and_end_are_sent",
        "test_the_model_reads_the_whole_word_for_word",
    ),
    "chats and threads; the document agent only where ticked": (
        "test_the_document_agent_has_a_servers_tools_only_where_it_is_ticked",
    ),
    "recorded and replayed": (
        "test_a_turn_with_servers_calls_and_questions_is_replayed_without_them",
    ),
    # Resources, prompts, questions
    "resources are mentioned, read and followed": (
        "test_mentions_prompts_and_completions",
        "test_a_mentioned_resource_is_followed_and_sent_again_when_it_changes",
        "resources and forms of addresses are found by name, and an address goes on as its server "
        "completes it",
        "a server's resource is mentioned, a form of address goes on as it completes, and a "
        "prompt's words go into the field",
    ),
    "prompts are slash commands with arguments and completions": (
        "a prompt's arguments are filled in and completed; what is needed is missed before "
        "anything is asked",
        "a prompt that asks nothing is used at once; if that fails its form says why",
        "test_the_samples_server_is_approved_used_and_answered",
    ),
    "a question is a form or an address; decline and cancel are answers": (
        "test_a_server_asks_the_person_whose_call_it_is",
        "each property becomes a field with its first value",
        "a server gets what was filled in, once nothing is missing",
        "an address is shown whole before it is opened",
        "test_an_answer_goes_out_as_it_was_filled_in_once_it_fits",
        "test_only_the_web_is_opened_for_a_server",
        "test_a_question_that_belongs_to_no_call_is_shown_in_no_chat",
        "test_what_must_be_opened_before_a_call_is_and_the_call_goes_on",
    ),
    "in recto run it is asked in the terminal": (
        "test_what_a_server_asks_in_a_call_is_asked_at_the_terminal",
        "test_a_form_is_filled_in_field_by_field",
        "test_to_decline_and_to_cancel_are_answers",
        "test_an_address_is_shown_whole",
    ),
    # Sign-in
    "PKCE, resource metadata, a metadata document or registration, application_type": (
        "auth/metadata-default",
        "auth/basic-cimd",
        "auth/pre-registration",
        "auth/resource-mismatch",
        "test_a_sign_in_is_renewed_and_done_again_where_a_chat_waits",
    ),
    "iss is checked, tokens belong to their issuer": (
        "auth/iss-supported",
        "auth/iss-supported-missing",
        "auth/iss-wrong-issuer",
        "auth/iss-unexpected",
        "auth/metadata-issuer-mismatch",
        "auth/authorization-server-migration",
    ),
    "kept for the user alone, renewed early and on 401, in place, never registering behind": (
        "test_a_sign_in_is_renewed_and_done_again_where_a_chat_waits",
    ),
    # Trouble
    "hang, die, flood, 50 MB, broken JSON, a line without end": (
        "test_a_server_that_fails_harms_only_its_own_call",
    ),
    "an issuer that hangs, lists and questions without end": (
        "test_an_issuer_that_hangs_harms_its_own_servers_call_alone",
        "test_a_server_whose_lists_change_without_end_is_not_asked_without_end",
        "test_what_is_too_much_to_keep_or_to_read_is_refused",
    ),
    "an endless stream": (
        "test_an_address_that_never_ends_or_sends_too_much_harms_its_call_alone",
    ),
    "a hang at the start, growing pauses, its state": (
        "test_one_that_hangs_at_its_start_is_tried_again_after_growing_pauses",
    ),
    "processes end with Recto and with their project": (
        "test_what_a_server_starts_ends_with_it_and_with_its_project",
        "test_nothing_outlives_a_killed_recto",
    ),
    "stderr is kept for the log": (
        "test_one_that_hangs_at_its_start_is_tried_again_after_growing_pauses",
        "test_the_log_keeps_the_newest_lines",
    ),
    "nothing leaks between projects": ("test_nothing_of_one_folders_servers_reaches_another",),
    "instructions behind the server's name, as text of others": (
        "test_a_servers_tools_work_in_a_chat",
    ),
    # Inclusion
    "each mode, pairs together": (
        "test_each_mode_sends_what_its_row_says",
        "test_whatever_the_mode_a_request_can_be_sent_and_pairs_stay_together",
        "test_a_pinned_result_keeps_its_call",
        "test_the_modes_decide_what_the_provider_gets",
    ),
    "a stable order": ("test_changed_words_can_be_trusted_and_a_changed_schema_never_is",),
    "auto: the provider's own search, or an index and one tool": (
        "test_auto_leaves_the_search_to_a_provider_that_has_one",
        "test_auto_sends_an_index_and_reaches_every_tool_through_it",
        "test_the_index_groups_by_server_and_has_a_limit",
        "test_a_call_through_the_index_asks_like_any_other",
        "test_a_search_goes_back_as_long_as_what_it_found_is_there",
    ),
    "the round of the button, ticks by tool and server": (
        "go round in the order of the menu",
        "are ticked one by one, which is the manual mode",
        "are ticked by server, the other servers as they were",
    ),
    "tokens, and what a mode saves or breaks before it is chosen": (
        "test_the_modes_decide_what_the_provider_gets",
        "stand by server, with the tokens of all its tools",
        "say what a change saves each time and costs once",
    ),
    "a summary of a long answer counts for its chat": (
        "test_a_long_answer_is_summarised_by_the_cheapest_model_and_its_chat_pays",
        "test_a_summary_that_fails_leaves_beginning_and_end",
    ),
    # A server, too
    "recto mcp serve and /mcp, both revisions, writes wait for review": (
        "test_all_that_applies_of_the_official_suite_passes",
        "test_an_edit_from_outside_waits_for_review_under_the_clients_name",
        "test_threads_are_read_begun_and_answered_from_outside",
        "test_rules_of_the_folder_and_of_secrets_hold_outside_too",
        "test_alone_it_is_a_whole_recto_until_its_client_ends",
        "test_beside_a_running_recto_it_works_through_that_one_and_outlives_it",
        "test_whatever_comes_is_answered_in_json",
    ),
}
PYTHON = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
TYPESCRIPT = re.compile(r'^ *(?:test|it)\("((?:[^"\\]|\\.)+)"', re.MULTILINE)
FOLDERS = ("chats", "cli", "context", "fuzz", "journeys", "llm", "mcp", "mcp_server")


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """The name of every test, and of every scenario that applies."""
    files = [path for folder in FOLDERS for path in (TESTS / folder).rglob("test_*.py")]
    pages = [
        path for folder in ("chat", "mcp", "tools") for path in (PAGE / folder).rglob("*.test.ts")
    ]
    found = {name for path in files for name in PYTHON.findall(path.read_text("utf-8"))}
    found |= {name for path in pages for name in TYPESCRIPT.findall(path.read_text("utf-8"))}
    return found.union(*APPLYING.values())


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_has_its_tests(tests: set[str], promise: str) -> None:
    assert [name for name in PROMISES[promise] if name not in tests] == []
