"""add_comment: a comment in a Word document, or the answer to one."""

import re
from typing import Annotated

from msgspec import Meta

from recto.tools.editing.word import WordEdit, author, date
from recto.tools.reading.word import NotWordFile
from recto.tools.schema import Arguments, parameters_of
from recto.tools.tool import Declaration, Tool, ToolContext, ToolFailure, ToolOutcome, said
from recto.word import CommentOn, ResolveComment, WordFailure, ask_worker, is_word

NUMBER = re.compile("\N{PILCROW SIGN}?([0-9]{1,9})")


class AddComment(Arguments, frozen=True):
    """What to say, and where."""

    path: Annotated[str, Meta(description="The Word document, relative to the folder.")]
    text: Annotated[str, Meta(description="What to say.", min_length=1)]
    answer_to: Annotated[
        str, Meta(description="The number of the comment to answer; without it, a new one.")
    ] = ""
    paragraph: Annotated[
        str, Meta(description="For a new one: the paragraph's number, such as \N{PILCROW SIGN}12.")
    ] = ""
    words: Annotated[
        str, Meta(description="For a new one: the words it is about; else the whole paragraph.")
    ] = ""
    resolve: Annotated[
        bool, Meta(description="With answer_to: whether that settles the comment.")
    ] = False


async def run(asked: AddComment, context: ToolContext) -> ToolOutcome:
    """Say it."""
    if not is_word(asked.path):
        raise ToolFailure("Only Word documents have comments. Use add_task for other files.")
    number = NUMBER.fullmatch(asked.paragraph.strip())
    if not asked.answer_to and number is None:
        raise ToolFailure("Say which comment to answer (answer_to) or which paragraph it is about.")
    word = WordEdit(asked.path, context)
    data, document = await word.read()
    comment = CommentOn(
        asked.text,
        author(context),
        date(context),
        known=document.numbered,
        paragraph=int(number[1]) if number is not None else 0,
        words=asked.words,
        answers=asked.answer_to,
    )
    try:
        made = await ask_worker(comment, data)
        if asked.resolve and asked.answer_to:
            settled = ResolveComment(asked.answer_to, done=True, known=document.numbered)
            made = await ask_worker(settled, made.data)
    except WordFailure as failure:
        raise NotWordFile(asked.path, failure) from failure
    await word.write(data, document, made)
    what = f"Answered comment {asked.answer_to}" if asked.answer_to else "Commented"
    done = " and resolved it" if asked.resolve and asked.answer_to else ""
    return said(f"{what}{done} in {asked.path}.{await word.warning()}", fact="1 comment")


TOOL = Tool(
    Declaration(
        name="add_comment",
        title="Comment in a Word document, or answer a comment",
        description=(
            "Add a comment to a paragraph of a Word document, or answer one of its comments. "
            "read_file shows them below their paragraphs, with their numbers."
        ),
        parameters=parameters_of(AddComment),
        group="feedback",
        changes=True,
        main="path",
        doing="Commenting in",
        done="Commented in",
    ),
    run,
    AddComment,
    touches=lambda asked: (asked.path,),
)
