"""The verbs: forms in both languages and what they go with.

One entry is ``english = german [marks] : object kinds [< subject kinds]``.

English: ``base[/past/participle]``; what follows the base ("look for") is kept as is.
German: ``[prefix|]infinitive[/third person/preterite/participle]``, the last three for
strong verbs only; ``prefix|`` marks a separable verb and is left out of the forms.
Marks: ``+sein`` perfect with sein, ``stative`` no progressive and no perfect,
``auf+acc`` the preposition and case of a prepositional object.
Subjects are persons where none are given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from toy_language.english import regular_past

# What can be bought, sold, found, ...
_GOODS = (
    "fruit vegetable bakery clothes thing furniture dishware device instrument text"
)

_TABLE = {
    # Verbs with a direct object.
    "acc": f"""
read/read/read = lesen/liest/las/gelesen : text
write/wrote/written = schreiben/schreibt/schrieb/geschrieben : text
translate = übersetzen/übersetzt/übersetzte/übersetzt : text
eat/ate/eaten = essen/isst/aß/gegessen : fruit bakery dish
drink/drank/drunk = trinken/trinkt/trank/getrunken : drink
cook = kochen : vegetable dish
bake = backen/backt/backte/gebacken : bakery
cut/cut/cut = schneiden/schneidet/schnitt/geschnitten : fruit vegetable bakery
share = teilen : bakery fruit dish
order = bestellen : dish drink
taste = probieren : dish drink bakery
buy/bought/bought = kaufen : {_GOODS} drink vehicle
sell/sold/sold = verkaufen : {_GOODS} vehicle
need = brauchen stative : {_GOODS}
have/had/had = haben/hat/hatte/gehabt stative : {_GOODS} vehicle
look for = suchen : person animal thing clothes device container
find/found/found = finden/findet/fand/gefunden : animal thing clothes small text fruit
lose/lost/lost = verlieren/verliert/verlor/verloren : thing clothes small container
see/saw/seen = sehen/sieht/sah/gesehen stative : person animal building vehicle
hear/heard/heard = hören stative : person animal instrument vehicle
paint = malen : animal plant person
draw/drew/drawn = zeichnen : animal building plant vehicle
photograph = fotografieren : person animal building vehicle plant
admire = bewundern : person building small clothes
love = lieben stative : person animal
know/knew/known = kennen/kennt/kannte/gekannt stative : person building text
repair = reparieren : vehicle device furniture opening instrument
wash/washed/washed = waschen/wäscht/wusch/gewaschen : clothes vehicle animal
wear/wore/worn = tragen/trägt/trug/getragen : clothes
build/built/built = bauen : building vehicle furniture
clean = putzen : room opening clothes dishware
open = öffnen : opening container
explain = erklären : idea
understand/understood/understood = verstehen/versteht/verstand/verstanden stative : idea
forget/forgot/forgotten = vergessen/vergisst/vergaß/vergessen : idea thing
discuss = besprechen/bespricht/besprach/besprochen : idea text
repeat = wiederholen/wiederholt/wiederholte/wiederholt : idea
collect = sammeln : small text instrument
feed/fed/fed = füttern : animal
stroke = streicheln : animal
catch/caught/caught = fangen/fängt/fing/gefangen : animal
hunt = jagen : animal < person animal
water = gießen/gießt/goss/gegossen : plant
plant = pflanzen : plant vegetable
push = schieben/schiebt/schob/geschoben : vehicle furniture container
pull = ziehen/zieht/zog/gezogen : furniture container
break/broke/broken = zerbrechen/zerbricht/zerbrach/zerbrochen : dishware small
hide/hid/hidden = verstecken : thing small text dishware
steal/stole/stolen = stehlen/stiehlt/stahl/gestohlen : vehicle thing small instrument
borrow = aus|leihen/leiht/lieh/geliehen : text thing instrument vehicle
praise = loben : person
greet = grüßen : person
meet/met/met = treffen/trifft/traf/getroffen : person
ask = fragen : person
visit = besuchen : person building
tune = stimmen : instrument
plan = planen : event
organise = organisieren : event
postpone = verschieben/verschiebt/verschob/verschoben : event
turn on = an|machen : device
turn off = aus|schalten : device
close = zu|machen : opening container
lock = ab|schließen/schließt/schloss/geschlossen : opening room
call = an|rufen/ruft/rief/gerufen : person
invite = ein|laden/lädt/lud/geladen : person
pick up = ab|holen : person container
wake/woke/woken = auf|wecken : person animal
try on = an|probieren/probiert/probierte/probiert : clothes
put on/put/put = an|ziehen/zieht/zog/gezogen : clothes
take off/took/taken = aus|ziehen/zieht/zog/gezogen : clothes
bring along/brought/brought = mit|bringen/bringt/brachte/gebracht : bakery fruit thing
take along/took/taken = mit|nehmen/nimmt/nahm/genommen : animal thing container
throw away/threw/thrown = weg|werfen/wirft/warf/geworfen : fruit text clothes dishware
give back/gave/given = zurück|geben/gibt/gab/gegeben : text thing instrument
send back/sent/sent = zurück|schicken : clothes container device
tidy up = auf|räumen : room
wash up = ab|waschen/wäscht/wusch/gewaschen : dishware
prepare = vor|bereiten/bereitet/bereitete/bereitet : event
continue = fort|setzen : event
cancel = ab|sagen : event
look at = an|schauen : building small clothes plant
read aloud/read/read = vor|lesen/liest/las/gelesen : text
write down/wrote/written = auf|schreiben/schreibt/schrieb/geschrieben : idea
hang up/hung/hung = auf|hängen : clothes small
eat up/ate/eaten = auf|essen/isst/aß/gegessen : fruit bakery dish
drink up/drank/drunk = aus|trinken/trinkt/trank/getrunken : drink
unpack = aus|packen : container
pack = ein|packen : clothes thing text
set up/set/set = auf|bauen : furniture device""",
    "dat": """
help = helfen/hilft/half/geholfen : person
thank = danken : person
trust = vertrauen/vertraut/vertraute/vertraut stative : person
follow = folgen +sein : person animal vehicle
congratulate = gratulieren : person
listen to = zu|hören : person
watch = zu|sehen/sieht/sah/gesehen : person animal
agree with = zu|stimmen : person
belong to = gehören/gehört/gehörte/gehört stative : person < clothes thing vehicle""",
    "dat+acc": """
give/gave/given = geben/gibt/gab/gegeben : thing text fruit small clothes
show/showed/shown = zeigen : thing small building animal instrument vehicle
send/sent/sent = schicken : text container
bring/brought/brought = bringen/bringt/brachte/gebracht : drink dish text clothes
lend/lent/lent = leihen/leiht/lieh/geliehen : vehicle thing text instrument
offer = an|bieten/bietet/bot/geboten : drink bakery fruit
tell/told/told = erzählen/erzählt/erzählte/erzählt : secret story
promise = versprechen/verspricht/versprach/versprochen : thing animal vehicle""",
    "pp": """
wait for = warten auf+acc : person vehicle
think about/thought/thought = denken/denkt/dachte/gedacht an+acc : person event
dream of = träumen von+dat : building animal vehicle
laugh about = lachen über+acc : mistake story film
talk about = reden über+acc : person idea event
dance with = tanzen mit+dat : person
work with = arbeiten mit+dat : person device
play with = spielen mit+dat : animal ball doll
travel with = reisen +sein mit+dat : person
speak to/spoke/spoken = sprechen/spricht/sprach/gesprochen mit+dat : person""",
    "none": """
sleep/slept/slept = schlafen/schläft/schlief/geschlafen : < person animal
laugh = lachen :
cry = weinen :
sing/sang/sung = singen/singt/sang/gesungen :
dance = tanzen :
work = arbeiten :
play = spielen : < person animal
swim/swam/swum = schwimmen/schwimmt/schwamm/geschwommen +sein : < person animal
cough = husten :
smile = lächeln :
get up/got/got = auf|stehen/steht/stand/gestanden +sein :
wake up/woke/woken = auf|wachen +sein : < person animal
fall asleep/fell/fallen = ein|schlafen/schläft/schlief/geschlafen +sein :
go out/went/gone = aus|gehen/geht/ging/gegangen +sein :
come back/came/come = zurück|kommen/kommt/kam/gekommen +sein : < person animal
arrive = an|kommen/kommt/kam/gekommen +sein : < person vehicle
depart = ab|fahren/fährt/fuhr/gefahren +sein : < vehicle
get in/got/got = ein|steigen/steigt/stieg/gestiegen +sein :
get off/got/got = aus|steigen/steigt/stieg/gestiegen +sein :
begin/began/begun = an|fangen/fängt/fing/gefangen : < event
end = enden : < event
take place/took/taken = statt|finden/findet/fand/gefunden : < event""",
    "to": """
go/went/gone = gehen/geht/ging/gegangen +sein :
run/ran/run = rennen/rennt/rannte/gerannt +sein : < person animal
drive/drove/driven = fahren/fährt/fuhr/gefahren +sein :
hurry = eilen +sein :
walk = laufen/läuft/lief/gelaufen +sein : < person animal
return = zurück|kehren +sein :""",
    "at": """
stand/stood/stood = stehen/steht/stand/gestanden stative : < person dishware vehicle
lie/lay/lain = liegen/liegt/lag/gelegen stative : < animal clothes text
sit/sat/sat = sitzen/sitzt/saß/gesessen stative : < person animal
live = wohnen stative :
stay = bleiben/bleibt/blieb/geblieben +sein : < person animal""",
    "put": """
put/put/put = legen : text clothes
place = stellen : dishware furniture""",
}


@dataclass(frozen=True)
class Verb:
    """One verb in both languages.

    Attributes:
        english, english_past, english_participle: forms of the first English word.
        particle: the English words after it, or "".
        prefix: the German separable prefix, or "".
        german, german_third, german_past: German forms without the prefix.
        german_participle: the past participle, with the prefix.
        frame: what it goes with, a key of the verb table.
        objects, subjects: noun classes or single English nouns.
        preposition, case: those of a prepositional object, or "".
        sein: whether the perfect is built with sein.
        stative: whether progressive and perfect are avoided.
    """

    english: str
    english_past: str
    english_participle: str
    particle: str
    prefix: str
    german: str
    german_third: str
    german_past: str
    german_participle: str
    frame: str
    objects: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ("person",)
    preposition: str = ""
    case: str = ""
    sein: bool = False
    stative: bool = False

    @property
    def name(self) -> str:
        """The English base form with its particle."""
        return f"{self.english} {self.particle}".strip()


def stem(infinitive: str) -> str:
    """Return the infinitive without its -en or -n."""
    return infinitive[: -2 if infinitive.endswith("en") else -1]


def needs_e(verb_stem: str) -> bool:
    """Whether -t and -st need a linking e: arbeit-e-t, zeichn-e-t, but lern-t."""
    if verb_stem.endswith(("t", "d")):
        return True
    return bool(re.search("(ch|[bdfgkpstvz])[nm]$", verb_stem))


def _weak_forms(infinitive: str) -> tuple[str, str, str]:
    base = stem(infinitive) + ("e" if needs_e(stem(infinitive)) else "")
    without_ge = ("be", "ver", "er", "zer", "ent")
    bare = infinitive.startswith(without_ge) or infinitive.endswith("ieren")
    return base + "t", base + "te", ("" if bare else "ge") + base + "t"


def _german_forms(field: str) -> tuple[str, str, str, str, str]:
    prefix, _, rest = field.rpartition("|")
    infinitive, *strong = rest.split("/")
    third, past, participle = strong or _weak_forms(infinitive)
    return prefix, infinitive, third, past, prefix + participle


def parse_verb(entry: str, frame: str) -> Verb:
    """Read one entry of the table (format: see the top of the file)."""
    english_side, rest = entry.split(" = ")
    phrase, *irregular = english_side.split("/")
    base, _, particle = phrase.partition(" ")
    past, participle = irregular or [regular_past(base)] * 2
    forms_and_marks, _, kinds = rest.partition(" :")
    german, *marks = forms_and_marks.split()
    objects, _, subjects = kinds.partition("<")
    governed = [m for m in marks if "+" in m and m != "+sein"]
    preposition, case = governed[0].split("+") if governed else ("", "")
    prefix, infinitive, third, german_past, german_participle = _german_forms(german)
    return Verb(
        english=base,
        english_past=past,
        english_participle=participle,
        particle=particle,
        prefix=prefix,
        german=infinitive,
        german_third=third,
        german_past=german_past,
        german_participle=german_participle,
        frame=frame,
        objects=tuple(objects.split()),
        subjects=tuple(subjects.split()) or ("person",),
        preposition=preposition,
        case=case,
        sein="+sein" in marks,
        stative="stative" in marks,
    )


VERBS_BY_FRAME = {
    frame: [parse_verb(line, frame) for line in block.strip().split("\n")]
    for frame, block in _TABLE.items()
}
VERBS = [verb for verbs in VERBS_BY_FRAME.values() for verb in verbs]
BE = parse_verb("be/was/been = sein/ist/war/gewesen +sein stative :", "be")
