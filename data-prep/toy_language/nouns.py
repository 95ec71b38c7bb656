"""The nouns: English with plural, German with gender, plural and declension class.

One entry is ``english[/plural] = gender Singular[/plural] [marks]``; English plurals
are given where irregular, German plurals where they differ from the singular.
Marks: ``*`` weak declension (den Jungen), ``~`` mass noun (no plural, no "a"),
``gen:X`` the genitive where the rule in ``german.genitive`` does not give it.
"""

from __future__ import annotations

from dataclasses import dataclass

from toy_language.english import regular_plural

_TABLE = {
    "person": """
man/men = m Mann/Männer; boy = m Junge/Jungen *; father = m Vater/Väter
brother = m Bruder/Brüder; son = m Sohn/Söhne; uncle = m Onkel
grandfather = m Großvater/Großväter; king = m König/Könige
neighbour = m Nachbar/Nachbarn *; friend = m Freund/Freunde; teacher = m Lehrer
student = m Student/Studenten *; pupil = m Schüler; doctor = m Arzt/Ärzte
baker = m Bäcker; farmer = m Bauer/Bauern *; chef = m Koch/Köche gen:Kochs
policeman/policemen = m Polizist/Polizisten *; judge = m Richter
driver = m Fahrer; gardener = m Gärtner; painter = m Maler; hunter = m Jäger
tourist = m Tourist/Touristen *; guest = m Gast/Gäste; boss = m Chef/Chefs gen:Chefs
mechanic = m Mechaniker; lawyer = m Anwalt/Anwälte gen:Anwalts
mayor = m Bürgermeister; fisherman/fishermen = m Fischer
soldier = m Soldat/Soldaten *; customer = m Kunde/Kunden *; thief/thieves = m Dieb/Diebe
author = m Autor/Autoren; musician = m Musiker; scientist = m Wissenschaftler
butcher = m Metzger; waiter = m Kellner; actor = m Schauspieler
prince = m Prinz/Prinzen *; carpenter = m Tischler; professor = m Professor/Professoren
woman/women = f Frau/Frauen; mother = f Mutter/Mütter; sister = f Schwester/Schwestern
daughter = f Tochter/Töchter; aunt = f Tante/Tanten; niece = f Nichte/Nichten
grandmother = f Großmutter/Großmütter; queen = f Königin/Königinnen
nurse = f Krankenschwester/Krankenschwestern; waitress = f Kellnerin/Kellnerinnen
actress = f Schauspielerin/Schauspielerinnen; princess = f Prinzessin/Prinzessinnen
lady = f Dame/Damen; saleswoman/saleswomen = f Verkäuferin/Verkäuferinnen
witch = f Hexe/Hexen; girlfriend = f Freundin/Freundinnen
child/children = n Kind/Kinder; girl = n Mädchen; baby = n Baby/Babys""",
    "animal": """
dog = m Hund/Hunde; cat = f Katze/Katzen; horse = n Pferd/Pferde; cow = f Kuh/Kühe
pig = n Schwein/Schweine; bird = m Vogel/Vögel; mouse/mice = f Maus/Mäuse
rabbit = n Kaninchen; goat = f Ziege/Ziegen; chicken = n Huhn/Hühner gen:Huhns
duck = f Ente/Enten; goose/geese = f Gans/Gänse; bear = m Bär/Bären *
wolf/wolves = m Wolf/Wölfe; fox = m Fuchs/Füchse; lion = m Löwe/Löwen *
elephant = m Elefant/Elefanten *; monkey = m Affe/Affen *; frog = m Frosch/Frösche
snake = f Schlange/Schlangen; donkey = m Esel; hedgehog = m Igel
squirrel = n Eichhörnchen; lamb = n Lamm/Lämmer gen:Lamms""",
    "fruit": """
apple = m Apfel/Äpfel; pear = f Birne/Birnen; plum = f Pflaume/Pflaumen
cherry = f Kirsche/Kirschen; orange = f Orange/Orangen; banana = f Banane/Bananen
strawberry = f Erdbeere/Erdbeeren; lemon = f Zitrone/Zitronen
peach = m Pfirsich/Pfirsiche gen:Pfirsichs; nut = f Nuss/Nüsse
grape = f Traube/Trauben""",
    "vegetable": """
potato/potatoes = f Kartoffel/Kartoffeln; carrot = f Karotte/Karotten
tomato/tomatoes = f Tomate/Tomaten; onion = f Zwiebel/Zwiebeln
cucumber = f Gurke/Gurken; mushroom = m Pilz/Pilze; bean = f Bohne/Bohnen
pumpkin = m Kürbis/Kürbisse gen:Kürbisses""",
    "bakery": """
bread = n Brot ~; cake = m Kuchen; roll = n Brötchen; biscuit = m Keks/Kekse
pizza = f Pizza/Pizzen; tart = f Torte/Torten; pretzel = f Brezel/Brezeln""",
    "dish": """
soup = f Suppe/Suppen; salad = m Salat/Salate gen:Salats; sausage = f Wurst/Würste
egg = n Ei/Eier gen:Eis; cheese = m Käse ~; meat = n Fleisch ~
rice = m Reis ~; omelette = n Omelett/Omeletts
noodle = f Nudel/Nudeln; steak = n Steak/Steaks gen:Steaks""",
    "drink": """
water = n Wasser ~; milk = f Milch ~; coffee = m Kaffee ~; tea = m Tee ~
juice = m Saft ~; wine = m Wein ~; beer = n Bier ~; lemonade = f Limonade ~
cocoa = m Kakao ~""",
    "text": """
book = n Buch/Bücher; newspaper = f Zeitung/Zeitungen; letter = m Brief/Briefe
novel = m Roman/Romane gen:Romans; story = f Geschichte/Geschichten
report = m Bericht/Berichte gen:Berichts; article = m Artikel
magazine = f Zeitschrift/Zeitschriften; poem = n Gedicht/Gedichte gen:Gedichts
message = f Nachricht/Nachrichten; contract = m Vertrag/Verträge gen:Vertrags
postcard = f Postkarte/Postkarten; fairy tale = n Märchen""",
    "vehicle": """
car = n Auto/Autos; bus = m Bus/Busse gen:Busses; train = m Zug/Züge
bicycle = n Fahrrad/Fahrräder gen:Fahrrads; ship = n Schiff/Schiffe
plane = n Flugzeug/Flugzeuge gen:Flugzeugs; taxi = n Taxi/Taxis
tram = f Straßenbahn/Straßenbahnen; lorry = m Lastwagen; boat = n Boot/Boote
motorbike = n Motorrad/Motorräder gen:Motorrads; carriage = f Kutsche/Kutschen""",
    "building": """
house = n Haus/Häuser; school = f Schule/Schulen; church = f Kirche/Kirchen
museum = n Museum/Museen; hotel = n Hotel/Hotels; castle = n Schloss/Schlösser
library = f Bibliothek/Bibliotheken; restaurant = n Restaurant/Restaurants
hospital = n Krankenhaus/Krankenhäuser gen:Krankenhauses; theatre = n Theater
factory = f Fabrik/Fabriken; shop = m Laden/Läden; bakery = f Bäckerei/Bäckereien
university = f Universität/Universitäten; cinema = n Kino/Kinos
café = n Café/Cafés gen:Cafés
supermarket = m Supermarkt/Supermärkte gen:Supermarkts; tower = m Turm/Türme
mill = f Mühle/Mühlen; office = n Büro/Büros""",
    "room": """
kitchen = f Küche/Küchen; room = n Zimmer; cellar = m Keller; bathroom = n Badezimmer
bedroom = n Schlafzimmer; living room = n Wohnzimmer; garage = f Garage/Garagen
classroom = n Klassenzimmer; hall = m Saal/Säle""",
    "area": """
garden = m Garten/Gärten; park = m Park/Parks gen:Parks; forest = m Wald/Wälder
city = f Stadt/Städte; village = n Dorf/Dörfer; valley = n Tal/Täler
yard = m Hof/Höfe; zoo = m Zoo/Zoos""",
    "surface": """
square = m Platz/Plätze; market = m Markt/Märkte; street = f Straße/Straßen
bridge = f Brücke/Brücken; mountain = m Berg/Berge; meadow = f Wiese/Wiesen
island = f Insel/Inseln; field = n Feld/Felder; roof = n Dach/Dächer""",
    "edge": """
beach = m Strand/Strände; river = m Fluss/Flüsse; lake = m See/Seen
station = m Bahnhof/Bahnhöfe gen:Bahnhofs; airport = m Flughafen/Flughäfen""",
    "clothes": """
coat = m Mantel/Mäntel; jacket = f Jacke/Jacken; shirt = n Hemd/Hemden
dress = n Kleid/Kleider; skirt = m Rock/Röcke; hat = m Hut/Hüte
shoe = m Schuh/Schuhe; sock = f Socke/Socken; scarf/scarves = m Schal/Schals gen:Schals
glove = m Handschuh/Handschuhe gen:Handschuhs; pullover = m Pullover; boot = m Stiefel
belt = m Gürtel; suit = m Anzug/Anzüge gen:Anzugs; blouse = f Bluse/Blusen
cap = f Mütze/Mützen; tie = f Krawatte/Krawatten""",
    "furniture": """
table = m Tisch/Tische; chair = m Stuhl/Stühle; bed = n Bett/Betten
cupboard = m Schrank/Schränke; shelf/shelves = n Regal/Regale gen:Regals
sofa = n Sofa/Sofas; mirror = m Spiegel; carpet = m Teppich/Teppiche gen:Teppichs
bench = f Bank/Bänke; armchair = m Sessel; desk = m Schreibtisch/Schreibtische""",
    "dishware": """
cup = f Tasse/Tassen; plate = m Teller; glass = n Glas/Gläser
bottle = f Flasche/Flaschen
pot = m Topf/Töpfe; pan = f Pfanne/Pfannen; bowl = f Schüssel/Schüsseln
spoon = m Löffel; fork = f Gabel/Gabeln; knife/knives = n Messer; vase = f Vase/Vasen
jug = m Krug/Krüge""",
    "thing": """
key = m Schlüssel; clock = f Uhr/Uhren
umbrella = m Regenschirm/Regenschirme gen:Regenschirms
pencil = m Bleistift/Bleistifte gen:Bleistifts; ball = m Ball/Bälle
doll = f Puppe/Puppen; candle = f Kerze/Kerzen; ring = m Ring/Ringe
present = n Geschenk/Geschenke gen:Geschenks; camera = f Kamera/Kameras
basket = m Korb/Körbe; hammer = m Hammer/Hämmer; ladder = f Leiter/Leitern
rope = n Seil/Seile; map = f Landkarte/Landkarten; tent = n Zelt/Zelte
blanket = f Decke/Decken; towel = n Handtuch/Handtücher gen:Handtuchs
pillow = n Kissen; needle = f Nadel/Nadeln; broom = m Besen
brush = f Bürste/Bürsten""",
    "small": """
stamp = f Briefmarke/Briefmarken; coin = f Münze/Münzen; stone = m Stein/Steine
picture = n Bild/Bilder; shell = f Muschel/Muscheln; photo = n Foto/Fotos""",
    "container": """
box = f Kiste/Kisten; suitcase = m Koffer; drawer = f Schublade/Schubladen
bag = f Tasche/Taschen; rucksack = m Rucksack/Rucksäcke gen:Rucksacks
parcel = n Paket/Pakete gen:Pakets""",
    "opening": """
door = f Tür/Türen; window = n Fenster; gate = n Tor/Tore""",
    "device": """
lamp = f Lampe/Lampen; radio = n Radio/Radios; television = m Fernseher
computer = m Computer; oven = m Ofen/Öfen; machine = f Maschine/Maschinen
heater = f Heizung/Heizungen; printer = m Drucker""",
    "plant": """
flower = f Blume/Blumen; tree = m Baum/Bäume; rose = f Rose/Rosen
bush = m Busch/Büsche; tulip = f Tulpe/Tulpen; hedge = f Hecke/Hecken
oak = f Eiche/Eichen""",
    "instrument": """
piano = n Klavier/Klaviere gen:Klaviers; guitar = f Gitarre/Gitarren
violin = f Geige/Geigen; flute = f Flöte/Flöten; trumpet = f Trompete/Trompeten
drum = f Trommel/Trommeln; harp = f Harfe/Harfen""",
    "idea": """
idea = f Idee/Ideen; plan = m Plan/Pläne gen:Plans; problem = n Problem/Probleme
question = f Frage/Fragen; answer = f Antwort/Antworten; rule = f Regel/Regeln
task = f Aufgabe/Aufgaben; riddle = n Rätsel; sentence = m Satz/Sätze
secret = n Geheimnis/Geheimnisse gen:Geheimnisses; word = n Wort/Wörter
decision = f Entscheidung/Entscheidungen; mistake = m Fehler""",
    "event": """
celebration = f Feier/Feiern; concert = n Konzert/Konzerte gen:Konzerts
meeting = f Besprechung/Besprechungen; wedding = f Hochzeit/Hochzeiten
trip = f Reise/Reisen; game = n Spiel/Spiele gen:Spiels; exam = f Prüfung/Prüfungen
film = m Film/Filme gen:Films; competition = m Wettbewerb/Wettbewerbe gen:Wettbewerbs
excursion = m Ausflug/Ausflüge gen:Ausflugs
conversation = n Gespräch/Gespräche gen:Gesprächs
visit = m Besuch/Besuche gen:Besuchs""",
    "weather": """
rain = m Regen ~; snow = m Schnee ~; storm = m Sturm/Stürme gen:Sturms; fog = m Nebel ~
heat = f Hitze ~; cold = f Kälte ~; wind = m Wind ~; noise = m Lärm ~ gen:Lärms""",
}

# Persons whose English pronoun does not follow from the German gender.
_ENGLISH_PRONOUN = {"girl": "she", "child": "it", "baby": "it"}


@dataclass(frozen=True)
class Noun:
    """One noun in both languages.

    Attributes:
        english, english_plural: the English forms; the plural is "" for mass nouns.
        gender: "m", "f" or "n".
        german, german_plural: nominative forms; the plural is "" for mass nouns.
        kind: the semantic class, a key of the noun table.
        weak: whether the weak declension (-n outside the nominative) applies.
        genitive: the genitive singular if irregular, else "".
        parts: English modifier and head of a compound, else ().
    """

    english: str
    english_plural: str
    gender: str
    german: str
    german_plural: str
    kind: str
    weak: bool = False
    genitive: str = ""
    parts: tuple[str, ...] = ()

    @property
    def mass(self) -> bool:
        """Whether the noun has no plural and takes no indefinite article."""
        return not self.german_plural

    @property
    def head(self) -> str:
        """The English singular without the first part of a compound."""
        return self.parts[-1] if self.parts else self.english

    @property
    def english_pronoun(self) -> str:
        """The pronoun for the singular: "he", "she" or "it"."""
        if self.kind != "person":
            return "it"
        by_gender = {"m": "he", "f": "she", "n": "it"}[self.gender]
        return _ENGLISH_PRONOUN.get(self.english, by_gender)


def _parse(entry: str, kind: str) -> Noun:
    english_side, german_side = entry.split(" = ")
    english, _, english_plural = english_side.strip().partition("/")
    gender, forms, *marks = german_side.split()
    german, _, german_plural = forms.partition("/")
    mass = "~" in marks
    return Noun(
        english=english,
        english_plural="" if mass else english_plural or regular_plural(english),
        gender=gender,
        german=german,
        german_plural="" if mass else german_plural or german,
        kind=kind,
        weak="*" in marks,
        genitive="".join(m[4:] for m in marks if m.startswith("gen:")),
    )


def _entries(block: str) -> list[str]:
    return [e.strip() for e in block.replace("\n", ";").split(";") if e.strip()]


NOUNS = [_parse(e, kind) for kind, block in _TABLE.items() for e in _entries(block)]
NOUNS_BY_KIND = {kind: [noun for noun in NOUNS if noun.kind == kind] for kind in _TABLE}
NOUN_BY_ENGLISH = {noun.english: noun for noun in NOUNS}
