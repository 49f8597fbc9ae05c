
/** Texts: an input for each word, or the place of the word; `unknown` for any other text. */
function words(list, unknown, oneHot, ignoresCase) {
  const places = new Map(list.map((word, place) => [word, place]));
  return (value) => {
    if (ignoresCase && typeof value === "boolean") return [Number(value)];
    const text = textOf(value, empty);
    if (text === null) return null;
    const place = places.get(ignoresCase ? lower(text) : text);
    if (place === undefined) return unknown;
    return oneHot ? unknown.map((_, k) => Number(k === place)) : [place];
  };
}
