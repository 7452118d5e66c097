"""The language of a text, guessed from its small words and its letters. Cheap, and good enough to stem by."""

from __future__ import annotations

import re
import unicodedata

DEFAULT = "english"
SURE = 1.5
"""Signs of a language that are enough: one small word may stand in any text."""
PLAIN = "simple"
"""For scripts that no stemmer here knows."""
TAGS = {
    "en": "english",
    "pt": "portuguese",
    "es": "spanish",
    "fr": "french",
    "de": "german",
    "it": "italian",
    "nl": "dutch",
}
_SMALL = {
    "english": "a no do so me long what's the of and to in is you that it for was on are with as i at be this have from or had by not but what all were we when your can there an which their if will about how my has would she he her his me did don't it's i'm",
    "portuguese": "o a os as um uma de do da dos das em no na nos nas que não com para por se mais foi ele ela como mas ao à às seu sua eu você vocês meu minha está são já também só pelo pela isso esta este tem ter muito nós quando quem onde então até ainda depois obrigado olá",
    "spanish": "el la los las un una de del y en que no con para por se más fue él ella como pero al su yo usted mi está son ya también sólo eso esta este tiene muy nosotros cuando quien donde entonces hasta hola gracias",
    "french": "le la les un une des de du et en que ne pas avec pour par se plus était il elle comme mais au aux son sa je vous mon ma est sont déjà aussi ce cette très nous quand qui où alors bonjour merci dans sur",
    "german": "der die das ein eine und in ist nicht mit für von zu auf den dem des im wir sie er es ich du mein sein auch wie aber oder wenn dann noch schon sehr war sind haben hat wird bei nach danke hallo",
    "italian": "il lo la gli le un una di del della e in che non con per si più era lui lei come ma al suo io mio è sono già anche questo questa molto noi quando chi dove allora fino ciao grazie",
    "dutch": "de het een en van in is niet met voor op te dat die we zij hij ik jij mijn zijn ook hoe maar of als dan nog al zeer was hebben heeft wordt bij naar dank hallo",
}
_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _SMALL.items():
    for _word in _words.split():
        _OF[_word] = (*_OF.get(_word, ()), _language)
STOP_WORDS = frozenset(_OF)
"""Words that say nothing by themselves, in any of the languages."""
_LETTERS = {
    "portuguese": re.compile(r"[ãõ]|ção|ções|lh[aeo]\b|nh[aeo]\b"),
    "spanish": re.compile(r"[ñ¿¡]|ción|ciones"),
    "french": re.compile(r"[èêëîïœûù]|\b[ldjcnsm]['’]"),
    "german": re.compile(r"[äöüß]|sch|ung\b"),
}
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def language_of(text: str, tag: str | None = None, otherwise: str = DEFAULT) -> str:
    """The name of the stemmer to use. `tag` is what somebody said it is; without a sign of any it is `otherwise`."""
    if tag and (said := TAGS.get(tag.lower().split("-")[0].split("_")[0])):
        return said
    sample = text[:1500].lower().replace("’", "'")
    tokens = _TOKEN.findall(sample)
    if not tokens:
        return otherwise
    if sum(_is_latin(token[0]) for token in tokens) * 2 < len(tokens):
        return PLAIN
    votes = dict.fromkeys(_SMALL, 0.0)
    for token in tokens:
        among = _OF.get(token, ())
        for language in among:
            votes[language] += 1 / len(among)
    for language, letters in _LETTERS.items():
        votes[language] += 1.5 * len(letters.findall(sample))
    best = max(votes, key=lambda name: (votes[name], name == otherwise))
    return best if votes[best] >= SURE and votes[best] > votes.get(otherwise, 0) else otherwise


def spaced(text: str) -> str | None:
    """Text of scripts without spaces as overlapping pairs, so that its words can be found inside a sentence."""
    if text.isascii() or not _UNSPACED.search(text):
        return None
    return _UNSPACED.sub(lambda run: " " + " ".join(_pairs(run[0])) + " ", text)


def folded(word: str) -> str:
    """Without accents: how people type a name they do not know how to write."""
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))


_UNSPACED = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿가-힣]+")


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]


def _is_latin(letter: str) -> bool:
    return letter.isascii() or "LATIN" in unicodedata.name(letter, "")
