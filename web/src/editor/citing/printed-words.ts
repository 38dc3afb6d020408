/** The words that Recto itself prints, in the language of the document: the same as in what is published. */

/** What figures, tables, equations, sections and listings are called, the heading of the references, and what joins the last of several. */
export interface PrintedWords { fig: string; tbl: string; eq: string; sec: string; lst: string; references: string; joins: string }

const ENGLISH = "Figure|Table|Equation|Section|Listing|References|and";
const WORDS: Readonly<Record<string, string>> = {
  cs: "Obrázek|Tabulka|Rovnice|Oddíl|Výpis|Literatura|a",
  da: "Figur|Tabel|Ligning|Afsnit|Listing|Litteratur|og",
  de: "Abbildung|Tabelle|Gleichung|Abschnitt|Listing|Literatur|und",
  es: "Figura|Tabla|Ecuación|Sección|Listado|Referencias|y",
  fi: "Kuva|Taulukko|Yhtälö|Luku|Listaus|Lähteet|ja",
  fr: "Figure|Tableau|Équation|Section|Listing|Références|et",
  it: "Figura|Tabella|Equazione|Sezione|Listato|Riferimenti bibliografici|e",
  ja: "図|表|式|節|リスト|参考文献|と",
  nb: "Figur|Tabell|Ligning|Avsnitt|Listing|Referanser|og",
  nl: "Figuur|Tabel|Vergelijking|Paragraaf|Listing|Referenties|en",
  pl: "Rysunek|Tabela|Równanie|Rozdział|Listing|Bibliografia|i",
  pt: "Figura|Tabela|Equação|Secção|Listagem|Referências|e",
  "pt-br": "Figura|Tabela|Equação|Seção|Listagem|Referências|e",
  ru: "Рисунок|Таблица|Уравнение|Раздел|Листинг|Список литературы|и",
  sv: "Figur|Tabell|Ekvation|Avsnitt|Listning|Referenser|och",
  zh: "图|表|公式|章节|代码|参考文献|和",
};
const LANGUAGE = /^lang:[ \t]*["']?([\w-]+)/m;
const SAME: Readonly<Record<string, string>> = { no: "nb", nn: "nb" };

/** The words of the language that a front matter names. */
export function wordsOf(head: string): PrintedWords {
  return printedWords(LANGUAGE.exec(head)?.[1] ?? "");
}

/** The words of a language such as "de" or "pt-BR"; English where we have none. */
function printedWords(language: string): PrintedWords {
  const tag = language.trim().toLowerCase().replaceAll("_", "-");
  const base = tag.split("-", 1)[0] ?? "";
  const [fig = "", tbl = "", eq = "", sec = "", lst = "", references = "", joins = ""] = (WORDS[tag] ?? WORDS[SAME[base] ?? base] ?? ENGLISH).split("|");
  return { fig, tbl, eq, sec, lst, references, joins };
}
