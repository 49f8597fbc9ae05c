

def _words(words, unknown, one_hot=False, ignores_case=False):
    """Texts: an input for each word, or the place of the word; `unknown` for any other text."""
    places = {word: place for place, word in enumerate(words)}

    def read(value):
        if ignores_case and isinstance(value, (bool, np.bool_)):
            return [float(value)]
        text = _text(value, _EMPTY)
        if text is None:
            return None
        place = places.get(text.translate(_LOWER) if ignores_case else text)
        if place is None:
            return unknown
        return [float(place == k) for k in range(len(unknown))] if one_hot else [float(place)]

    return read
