"""What a gateway promises, and which tests hold it to that."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
PROMISES = {
    # Doors
    "four doors to four upstreams, by the official clients": (
        "test_text",
        "test_two_rounds_of_parallel_tools_with_thoughts",
        "test_an_image",
        "test_a_count_of_tokens",
        "test_an_error_comes_in_the_clients_own_shape",
        "test_open_webui_lists_models_and_streams_a_chat",
    ),
    "any protocol to any is its own inverse": (
        "test_a_conversation_is_the_same_after_two_protocols",
        "test_an_answer_is_the_same_for_any_client_and_goes_back_whole",
    ),
    "the same protocol is relayed byte for byte": (
        "test_bytes_go_through_as_they_are",
        "test_only_the_model_changes",
        "test_betas_pass_and_credentials_do_not",
    ),
    "stored responses, Interactions and sockets are declined clearly": (
        "test_what_is_stored_elsewhere_gets_a_clear_error",
        "test_a_websocket_is_declined_at_once",
    ),
    "conversations are compacted": ("test_a_conversation_is_compacted_where_the_upstream_can",),
    "models are listed in each shape": (
        "test_the_models_are_listed_in_the_shape_that_the_headers_tell",
    ),
    "embeddings": ("test_embeddings_are_passed_on_and_paid",),
    "search, priced by action": (
        "test_papers_come_cut_to_what_serves_and_cost_a_tenth_of_a_cent",
        "test_the_web_is_searched_and_the_key_stays_here",
        "test_pages_are_fetched_within_their_limits",
    ),
    "a field that matters is translated or refused, only the others dropped": (
        "test_each_field_is_read_refused_or_on_the_list",
        "test_a_field_whose_effect_matters_is_refused_with_words",
        "test_a_field_without_effect_is_dropped",
        "test_a_deferred_tool_is_loaded_once_it_is_referred_to",
        "test_old_tool_results_are_cleared_as_the_client_asks",
        "test_tools_that_run_at_a_provider_are_refused",
    ),
    "errors in the client's own shape, with a real status as long as nothing was shown": (
        "test_every_refusal_has_the_shape_and_status_of_the_clients_api",
        "test_an_upstream_that_fails_first_is_a_real_http_error",
        "test_an_error_is_passed_back_in_its_own_words",
        "test_an_upstream_key_that_is_refused_is_not_the_clients_fault",
    ),
    "words at the moment they come, to slow clients too": (
        "test_the_first_word_goes_out_before_more_is_done",
        "test_what_comes_with_the_first_words_is_read_after_them",
        "test_a_client_that_is_now_and_then_too_slow_gets_every_word",
    ),
    # Translation
    "calls are blocks with their end": (
        "test_parallel_calls_are_blocks_one_after_the_other",
        "test_words_after_a_call_are_a_block_of_their_own",
        "test_geminis_whole_arguments_are_one_delta",
    ),
    "signatures go out and back, in a field or kept sealed for an hour": (
        "test_thoughts_end_with_a_signature_before_the_next_block",
        "test_another_worker_puts_thoughts_and_signatures_back",
        "test_the_database_can_not_read_them",
        "test_what_the_gateway_sent_along_never_reaches_a_provider",
    ),
    "pictures and documents in results, a system of blocks": (
        "test_pictures_and_documents_in_results_and_a_system_of_blocks",
    ),
    "reasons to stop in all directions": ("test_the_reason_to_stop_in_all_directions",),
    "counts with cache reads and writes": (
        "test_usage_with_cache_reads_and_writes_is_told_at_the_end",
    ),
    "signs of life": ("test_signs_of_life_come_while_an_upstream_thinks",),
    # People and keys
    "invitations and passwords": (
        "test_an_invitation_lets_somebody_choose_a_password_once",
        "test_a_password_is_kept_as_argon2id_and_nothing_else_matches",
    ),
    "tokens of fifteen minutes, and refresh tokens that work once": (
        "test_access_ends_after_fifteen_minutes_and_is_renewed_for_thirty_days",
        "test_a_refresh_token_that_is_used_twice_ends_its_family_and_no_other",
    ),
    "keys: shown once, scoped, with an end, revoked within a second everywhere": (
        "test_a_key_is_shown_once_and_revoked_by_its_owner_alone",
        "test_a_key_for_one_door_opens_no_other",
        "test_only_what_was_given_out_and_holds_is_let_in",
        "test_within_a_second_another_worker_knows_what_was_revoked_limited_or_disabled",
        "test_what_is_revoked_opens_nothing_on_any_worker_within_a_second",
    ),
    "a member reaches nothing of another": (
        "test_a_member_reaches_nothing_of_another",
        "test_a_member_reaches_nothing_that_is_for_admins",
        "test_a_stranger_reaches_nothing",
    ),
    "OpenID Connect": (
        "test_somebody_of_an_allowed_domain_gets_an_account_and_keeps_it",
        "test_a_token_that_is_not_meant_for_us_now_signs_nobody_in",
    ),
    "limits of accounts and keys": (
        "test_limits_and_doors_hold",
        "test_a_caller_is_what_account_and_key_allow_together",
        "test_rates_of_key_and_account_hold_across_workers",
        "test_streams_are_capped_across_workers_and_given_back",
        "test_a_call_waits_for_a_place_as_long_as_it_may",
    ),
    "models are mapped, spliced in and answered under the name that was asked for": (
        "test_a_mapped_name_is_spliced_in",
        "test_a_mapped_model_answers_under_the_name_that_was_asked_for",
        "test_a_members_key_cannot_serve_another_model_than_was_asked_for",
    ),
    # Money
    "it fails closed": (
        "test_no_money_no_request",
        "test_a_call_that_would_count_nowhere_is_never_made",
    ),
    "the ledger equals the upstream's count, for every pair, finished or cut": (
        "test_a_finished_answer_is_booked_as_it_was_counted",
        "test_an_answer_that_is_cut_is_booked_once_and_nothing_stays_held",
        "test_a_client_that_leaves_ends_the_upstream_and_is_settled",
    ),
    "a mark-up": ("test_the_mark_up_is_booked_beside_the_cost_and_counts_for_people_alone",),
    "leases: no limit is passed, slices shrink, what a dead worker had comes back": (
        "test_whatever_happens_no_limit_is_passed_and_all_is_settled_once",
        "test_slices_shrink_towards_the_limit_and_end_with_single_requests",
        "test_a_fleet_passes_no_limit_and_refuses_hardly_anybody_who_could_pay",
        "test_whoever_is_killed_no_limit_is_passed_and_everything_is_booked_once",
        "test_calls_go_on_without_a_transaction_before_them_until_the_lease_is_used_up",
        "test_under_load_and_kills_no_limit_is_passed_and_everybody_is_told_the_truth",
    ),
    # Upstreams
    "weights, order, failover before the first byte, rest after failures": (
        "test_the_first_one_is_drawn_by_weight_within_the_lowest_order",
        "test_another_deployment_answers_before_the_first_byte",
        "test_nothing_is_tried_elsewhere_once_something_was_shown",
        "test_a_deployment_rests_longer_with_each_failure_and_one_call_tries_it",
        "test_retry_after_is_obeyed_and_faults_of_requests_are_nobodys",
        "test_a_stated_rate_is_kept_before_its_provider_refuses",
    ),
    "models.json is read again, a broken one changes nothing": (
        "test_a_broken_file_keeps_the_last_good_one_and_says_so",
    ),
    "what is known of a deployment holds on every worker, by real traffic alone": (
        "test_failures_count_together_and_one_call_of_all_workers_tries_again",
        "test_headers_of_providers_say_when_there_is_room_again",
        "test_a_deployment_that_says_it_is_full_is_left_alone",
        "test_a_limit_that_is_used_up_is_known_to_all",
    ),
    # Recto as its client
    "models, papers and searches by the gateway where there is no key": (
        "test_its_models_join_and_answer_where_there_is_no_key",
        "test_without_keys_the_gateway_searches",
        "test_many_that_renew_at_once_renew_once_and_stay_signed_in",
    ),
    # Commands and running it
    "the commands, while it runs and while not": (
        "test_the_commands_work_while_no_gateway_runs",
        "test_the_commands_work_while_it_runs_and_the_first_admin_gets_a_link",
        "test_the_five_commands_of_the_docs_lead_to_an_answer",
    ),
    "several workers": ("test_several_workers_share_an_address_and_one_that_is_killed_comes_back",),
    "drain, readiness, and a database that restarts": (
        "test_a_stream_that_runs_may_finish_when_the_gateway_is_told_to_stop",
        "test_while_the_database_is_restarted_clients_are_told_to_try_again",
    ),
    "metrics and traces, off unless wanted": (
        "test_there_are_no_metrics_unless_they_are_wanted",
        "test_traces_are_off_unless_the_standard_variables_ask_for_them",
        "test_a_call_is_a_span_with_one_for_each_deployment_asked",
    ),
    "prompts and answers are nowhere unless that is switched on, and its owner sees it": (
        "test_nothing_is_kept_while_it_is_off",
        "test_only_the_owner_and_admins_see_and_erase",
        "test_what_is_erased_is_in_no_file_any_more",
        "test_no_password_key_token_or_link_is_ever_logged",
    ),
    "nothing runs before it is asked for": (
        "test_the_wheel_holds_the_page_and_the_data_and_runs_nothing_by_itself",
    ),
    "pages": ("test_an_admin_and_a_member_use_every_page",),
    "figures: everybody's own, by months or days, as a table": (
        "test_each_person_sees_their_own_figures_and_an_admin_everybodys",
        "test_the_last_days_are_shown_whatever_months_they_lie_in",
        "test_figures_come_as_a_table_too",
        "test_usage_tells_what_account_and_key_have_spent_and_what_is_left",
    ),
    "the limit of the whole gateway is changed on its page": (
        "test_a_limit_that_is_set_holds_at_once_and_changes_nothing_else_in_its_file",
        "test_another_limit_holds_within_a_second_and_a_broken_file_changes_nothing",
    ),
    "a one-time link makes the first admin": (
        "test_the_first_admin_is_invited_until_there_is_one",
        "test_a_link_that_was_withdrawn_opens_nothing",
    ),
    "a bill of materials, everything locked by its hash": (
        "test_the_bill_names_everything_that_is_locked_by_its_hash",
    ),
    "nginx and systemd as documented": (
        "test_words_come_through_nginx_as_they_are_said",
        "test_systemd_finds_nothing_wrong_with_the_unit",
    ),
}
TEST = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """The name of every test in Python."""
    folders = ("access", "cli", "faults", "gateway", "llm", "research")
    files = [path for folder in folders for path in (TESTS / folder).rglob("test_*.py")]
    return {
        name
        for path in (*files, *TESTS.glob("test_*.py"))
        for name in TEST.findall(path.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("promise", PROMISES)
def test_every_promise_has_its_tests(tests: set[str], promise: str) -> None:
    assert [name for name in PROMISES[promise] if name not in tests] == []
