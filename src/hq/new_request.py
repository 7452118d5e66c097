"""New requests: whether what somebody types asks for something anew, in English or Portuguese, and so is no answer to what waits.

Words of one's own may answer a question that is open. What begins as an order or a question, courtesy and a change of subject aside, is
never offered as that.
"""

from __future__ import annotations

import re

_CHANGE = (
    r"by the way|btw|one (?:more|other) thing|(?:an)?other thing|something else|while you(?:'re| are) at it|in addition|separately"
    r"|já agora|ja agora|a propósito|a proposito|(?:mais uma|outra) coisa|além disso|alem disso|entretanto"
)
OPENERS = rf"{_CHANGE}|and also|also|oh|e também|e tambem|também|tambem"
"""What one says before something that has nothing to do with what was said last, or is wanted besides."""
_COURTESY = (
    r"hey|hi|hello|ok|okay|please|pls|now|then|olá|ola|oi|bom dia|por favor|agora|então|entao|@?(?:chief|ceo|hq)"
)
_OPENS = re.compile(rf"(?:(?:{OPENERS}|{_COURTESY})\b[\s,:!.–—-]*)*", re.IGNORECASE)
_CHANGES = re.compile(rf"(?:{_CHANGE})\b", re.IGNORECASE)
_BESIDES = re.compile(rf"(?:{OPENERS})\b", re.IGNORECASE)
_WANTS = re.compile(
    r"(?:(?:i|we)(?:'d like| would like| want| need)|preciso|precisamos|quero|queremos|queria)\b", re.IGNORECASE
)
_QUESTION = re.compile(
    r"(?:what|who|where|when|why|how|which)(?:'?s|'?re)?\b|(?:is|are|was|were|do|does|did|have|has|can|could|would|will|should|shall|may)\b"
    r"|(?:o que|que|quem|onde|quando|qual|quais|como|porque|quanto|quantos|quantas|há|podes|poderias|podia|consegues|tens|sabes)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:build|create|write|draft|check|find|search|research|look (?:up|for|into|at)|remind|tell me|tell us|show me|sing|summari[sz]e|translate"
    r"|hire|book (?:a|an|me|us|the)|schedule|prepare|deploy|install|download|explain|design|set up|help me|make (?:me|us)|send|e-?mail"
    r"|plan (?:a|an|my|our|me|us)|add (?:a|an)|cancel|delete|i(?:'d like| want| need) you to"
    r"|constrói|constroi|cria|crie|faz-me|faça-me|faz-nos|escreve|escreva|escreve-me|lembra|lembra-me|lembre-me|verifica|verifique|procura|procure"
    r"|pesquisa|pesquise|encontra|encontre|diz-me|diga-me|mostra-me|mostre-me|envia|envie|manda|mande|marca|marque|agenda|agende|planeia|planeie|prepara"
    r"|prepare|resume|resuma|traduz|traduza|contrata|contrate|canta|cante|conta-me|conte-me|explica|explique|reserva|reserve|instala|instale"
    r"|ajuda-me|ajude-me|apaga|apague|cancela|cancele|adiciona (?:um|uma)|adicione (?:um|uma))\b",
    re.IGNORECASE,
)  # fmt: skip


def asks_anew(text: str) -> bool:
    """Whether it begins with an order or a question, or with a change of subject."""
    said = text.strip().replace("’", "'")
    if said.endswith("?"):
        return True
    opening = _OPENS.match(said)
    before, rest = (opening[0], said[opening.end() :]) if opening else ("", said)
    if _CHANGES.search(before) and rest:
        return True
    if _WANTS.match(rest):
        return _BESIDES.search(before) is not None
    return bool(_QUESTION.match(rest) or _ORDER.match(rest))


_WISH = re.compile(
    r"(?:(?:please|por favor)[\s,]+)?(?:i|we)(?:['’]d like| would like| need| want| could use)(?: to have)?(?: an?| some| the| my own| our own)\s+"
    r"|(?:preciso de|precisamos de|quero|queremos|queria|gostava de ter|gostaria de ter)(?: um| uma| o| a)?\s+",
    re.IGNORECASE,
)


def wished_for(text: str) -> str:
    """What a wish is for, as a title: “I'd like a web app that logs my hours.” is “Web app that logs my hours”."""
    said = text.strip()
    thing = (_WISH.sub("", said, count=1) if _WISH.match(said) else said).rstrip(" .!") or said
    return thing[:1].upper() + thing[1:]
