"""The words that Recto itself prints, in the language of the document."""

from typing import NamedTuple

ENGLISH = "en"


class PrintedWords(NamedTuple):
    """What figures, tables and the list of references are called."""

    fig: str
    tbl: str
    eq: str
    sec: str
    lst: str
    references: str
    joins: str
    """What stands before the last of several."""


WORDS = {
    ENGLISH: "Figure|Table|Equation|Section|Listing|References|and",
    "cs": "Obrázek|Tabulka|Rovnice|Oddíl|Výpis|Literatura|a",
    "da": "Figur|Tabel|Ligning|Afsnit|Listing|Litteratur|og",
    "de": "Abbildung|Tabelle|Gleichung|Abschnitt|Listing|Literatur|und",
    "es": "Figura|Tabla|Ecuación|Sección|Listado|Referencias|y",
    "fi": "Kuva|Taulukko|Yhtälö|Luku|Listaus|Lähteet|ja",
    "fr": "Figure|Tableau|Équation|Section|Listing|Références|et",
    "it": "Figura|Tabella|Equazione|Sezione|Listato|Riferimenti bibliografici|e",
    "ja": "図|表|式|節|リスト|参考文献|と",
    "nb": "Figur|Tabell|Ligning|Avsnitt|Listing|Referanser|og",
    "nl": "Figuur|Tabel|Vergelijking|Paragraaf|Listing|Referenties|en",
    "pl": "Rysunek|Tabela|Równanie|Rozdział|Listing|Bibliografia|i",
    "pt": "Figura|Tabela|Equação|Secção|Listagem|Referências|e",
    "pt-br": "Figura|Tabela|Equação|Seção|Listagem|Referências|e",
    "ru": "Рисунок|Таблица|Уравнение|Раздел|Листинг|Список литературы|и",
    "sv": "Figur|Tabell|Ekvation|Avsnitt|Listning|Referenser|och",
    "zh": "图|表|公式|章节|代码|参考文献|和",
}
SAME = {"no": "nb", "nn": "nb"}


def printed_words(language: str) -> PrintedWords:
    """The words of a language such as "de" or "pt-BR"; English where we have none."""
    tag = language.strip().casefold().replace("_", "-")
    base = tag.partition("-")[0]
    found = WORDS.get(tag) or WORDS.get(SAME.get(base, base)) or WORDS[ENGLISH]
    return PrintedWords(*found.split("|"))
