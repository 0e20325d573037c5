"""Write the tables of measured numbers in the README anew: the scoreboard, other libraries, and Spark's ways.

python -m plots.readme [FOLDER]     results/published, unless told otherwise

What is written around the tables is left as it is.
"""

import sys
from pathlib import Path

from plots import peers_table, spark_table
from plots.markdown_tables import NoRowsError
from plots.scoreboard import FOLDER, scoreboard
from results import Store
from safeguards.files import write_atomically

README = Path("README.md")


def tables(folder: Path) -> list[str]:
    """The README's tables, from what is published in a folder. Raises NoRowsError or ValueError where that is not
    enough for one of them.
    """
    of_rows = [(peers_table.EXPERIMENT, peers_table.markdown), (spark_table.EXPERIMENT, spark_table.markdown)]
    made = [scoreboard(folder), *(markdown(Store(folder).rows(name)) for name, markdown in of_rows)]
    return [text.partition("\n\n")[0].strip() for text in made]


def replaced(text: str, table: str) -> str:
    """The text with a table in the place of the one that begins with the same title.

    Titles are the first cells of tables that say something. Raises ValueError unless there is exactly one such table.
    """
    title = _title(table)
    blocks = text.split("\n\n")
    places = [place for place, block in enumerate(blocks) if block.startswith("|") and _title(block) == title]
    if len(places) != 1:
        raise ValueError(f"{len(places)} tables begin with {title!r}; one is needed, to be replaced")
    blocks[places[0]] = table
    return "\n\n".join(blocks)


def _title(table: str) -> str:
    return next(cell for cell in map(str.strip, table.split("|")) if cell)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else FOLDER)
    try:
        text = README.read_text(encoding="utf-8")
        for table in tables(folder):
            text = replaced(text, table)
    except (NoRowsError, ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    write_atomically(README, text.encode())
    print(f"wrote the tables of {README}")


if __name__ == "__main__":
    main()
