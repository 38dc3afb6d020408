from recto.access.models_file import ModelEntry, ModelsFile
from recto.access.own_servers import OwnServer, ServedModel, with_server


def test_a_model_gets_an_id_that_no_other_has() -> None:
    others = [
        ModelEntry(id=id, name="Mine", provider="anthropic", model="claude-sonnet-5-5")
        for id in ("den/qwen3:8b", "den/qwen3:8b-2")
    ]
    server = OwnServer(
        "den", "Den", "http://127.0.0.1:9/v1", models=(ServedModel("qwen3:8b", window=8192),)
    )
    file = with_server(ModelsFile(models=others), server)
    assert [entry.id for entry in file.models] == [
        "den/qwen3:8b",
        "den/qwen3:8b-2",
        "den/qwen3:8b-3",
    ]
