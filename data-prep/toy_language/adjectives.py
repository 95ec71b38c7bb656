"""The adjectives: German stems, comparison, and the nouns they go with.

One entry is ``english [mark] = german[/attributive[/comparative/superlative]]``. The
attributive stem differs in a few (teuer, ein teures Haus). Marks: ``+`` compared with
-er, ``++`` with more; adjectives without a mark are not compared.
"""

from __future__ import annotations

from dataclasses import dataclass

from toy_language.english import comparative

_OBJECTS = (
    "clothes furniture dishware thing small container opening device instrument text"
    " vehicle building"
)
_FOOD = "fruit vegetable bakery dish"

_TABLE = {
    f"person animal {_OBJECTS} plant building room area event idea": """
good = gut; beautiful ++ = schön; strange + = seltsam; wonderful = wunderbar
terrible = schrecklich""",
    "building text": "famous ++ = berühmt",
    f"person animal {_OBJECTS} building room area surface plant": """
old + = alt/alt/älter/ältest; big + = groß/groß/größer/größt; small + = klein
ugly + = hässlich""",
    f"{_OBJECTS} building room area": """
new + = neu/neu/neuer/neuest
modern ++ = modern""",
    "clothes furniture dishware thing small container opening device vehicle": """
expensive ++ = teuer/teur/teurer/teuerst; cheap + = billig; heavy + = schwer
light + = leicht; dirty + = schmutzig; clean + = sauber/sauber/sauberer/sauberst
red = rot; blue = blau; green = grün; yellow = gelb; black = schwarz; white = weiß
brown = braun; grey = grau; colourful = bunt; broken = kaputt""",
    "clothes furniture": """
comfortable ++ = bequem; elegant ++ = elegant
soft + = weich""",
    "text event idea": """
interesting ++ = interessant; boring ++ = langweilig; exciting ++ = spannend
important ++ = wichtig; short + = kurz/kurz/kürzer/kürzest
long + = lang/lang/länger/längst""",
    "idea": """
difficult ++ = schwierig; simple + = einfach; clear + = klar""",
    "building surface plant": "high + = hoch/hoh/höher/höchst",
    "room building area": """
dark + = dunkel/dunkl/dunkler/dunkelst; bright + = hell; empty = leer
quiet + = ruhig; full = voll""",
    "container dishware": "round = rund; deep + = tief",
    "opening surface": "wide + = breit; narrow + = schmal/schmal/schmaler/schmalst",
    _FOOD: "fresh + = frisch; delicious = lecker",
    "fruit": """
ripe = reif; sweet + = süß/süß/süßer/süßest; sour = sauer/saur; juicy = saftig""",
    "dish": """
hot + = heiß/heiß/heißer/heißest; salty = salzig
healthy + = gesund/gesund/gesünder/gesündest""",
    "drink": """
cold + = kalt/kalt/kälter/kältest; warm + = warm/warm/wärmer/wärmst
sweet + = süß/süß/süßer/süßest
fresh + = frisch; hot + = heiß/heiß/heißer/heißest""",
    "person": """
young + = jung/jung/jünger/jüngst; tired = müde; hungry + = hungrig; ill = krank
thirsty = durstig; friendly + = freundlich; rich + = reich; lazy + = faul
poor + = arm/arm/ärmer/ärmst; clever + = klug/klug/klüger/klügst; brave + = mutig
stupid = dumm; hard-working = fleißig; strong + = stark/stark/stärker/stärkst
weak + = schwach/schwach/schwächer/schwächst; sad + = traurig; happy + = glücklich
funny + = lustig; kind + = nett; polite ++ = höflich; nervous ++ = nervös
famous ++ = berühmt; patient ++ = geduldig; curious ++ = neugierig; tall = groß
honest ++ = ehrlich; angry + = wütend; shy = schüchtern; content = zufrieden""",
    "animal": """
wild = wild; tame = zahm; fat + = dick; thin + = dünn; hungry + = hungrig
young + = jung/jung/jünger/jüngst; dangerous ++ = gefährlich; brown = braun
black = schwarz; white = weiß; grey = grau; tired = müde
strong + = stark/stark/stärker/stärkst
clever + = klug/klug/klüger/klügst; brave + = mutig; curious ++ = neugierig""",
    "vehicle": "fast + = schnell; slow + = langsam; dangerous ++ = gefährlich",
    "plant": "dry = trocken; colourful = bunt; red = rot; white = weiß; yellow = gelb",
    "device instrument": "loud + = laut; broken = kaputt",
    "small thing": """
rare + = selten; precious ++ = wertvoll
hard + = hart/hart/härter/härtest""",
}


@dataclass(frozen=True)
class Adjective:
    """One adjective in both languages; comparison is "" where it has none.

    Attributes:
        english, english_comparative, english_superlative: English forms.
        german: the predicative form.
        stem: what the attributive endings are added to.
        german_comparative, german_superlative: stems of the compared forms.
    """

    english: str
    english_comparative: str
    english_superlative: str
    german: str
    stem: str
    german_comparative: str
    german_superlative: str


def _english_comparison(word: str, mark: str) -> tuple[str, str]:
    if mark == "++":
        return f"more {word}", f"most {word}"
    if mark == "+":
        return comparative(word, "er"), comparative(word, "est")
    return "", ""


def _regular_superlative(german: str) -> str:
    hissing_or_dental = german.endswith(("t", "d", "s", "ß", "z", "sch", "haft"))
    present_participle = german.endswith("end")
    return german + ("est" if hissing_or_dental and not present_participle else "st")


def _parse(entry: str) -> Adjective:
    english_side, german_side = entry.split(" = ")
    english, _, mark = english_side.partition(" ")
    german, *others = german_side.split("/")
    stem = others[0] if others else german
    compared = others[1:] or [german + "er", _regular_superlative(german)]
    more, most = _english_comparison(english, mark)
    return Adjective(
        english, more, most, german, stem, *(compared if mark else ("", ""))
    )


def _by_kind() -> dict[str, list[Adjective]]:
    found: dict[str, list[Adjective]] = {}
    for kinds, block in _TABLE.items():
        entries = [e.strip() for e in block.replace("\n", ";").split(";") if e.strip()]
        for kind in kinds.split():
            have = found.setdefault(kind, [])
            have.extend(a for a in map(_parse, entries) if a not in have)
    return found


ADJECTIVES_BY_KIND = _by_kind()
ADJECTIVES = sorted(
    {a for words in ADJECTIVES_BY_KIND.values() for a in words},
    key=lambda a: a.english,
)
