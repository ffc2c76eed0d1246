/** The functions that the counters of terms call; each counter brings its own. */
export type TermImports = Partial<typeof noTerms>

const noTerms = {
  characters: {
    meet: (_code: number): number => 0,
    composes: (_first: number, _second: number): boolean => false,
  },
  'word-terms': { stem: (_word: number, _length: number, _to: number): void => {} },
}

/** An instance of the compiled kernel over a memory. */
export function instantiate(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  terms: TermImports = {},
): WasmExports {
  const { exp, expm1, log } = Math
  const imports = { env: { memory }, vectors: { exp, expm1 }, text: { log }, ...noTerms, ...terms }
  return new WebAssembly.Instance(module, imports).exports as unknown as WasmExports
}

/** The exports of the compiled kernel; pointers are byte offsets. See assembly/ for each one. */
export interface WasmExports {
  gram(x: number, count: number, rows: number, dimensions: number, s: number, add: number): void
  cosine(s: number, count: number, rows: number, lengths: number): void
  blend(s: number, graph: number, rows: number, weight: number, first: number): void
  scale(s: number, count: number, rows: number, byMean: number): void
  neighbors(
    s: number,
    count: number,
    rows: number,
    symmetric: number,
    keep: number,
    known: number,
    trusted: number,
    overlap: number,
    kind: number,
    parameter: number,
    nearest: number,
    width: number,
    wide: number,
    room: number,
  ): void
  jaccard(room: number, probe: number, count: number): number
  text(
    postings: number,
    texts: number,
    count: number,
    rows: number,
    idf: number,
    frequencies: number,
    table: number,
    slots: number,
    terms: number,
    lists: number,
    x: number,
    s: number,
  ): void
  products(x: number, rows: number, dimensions: number, toQuery: number, squares: number): void
  matchTerms(
    postings: number,
    texts: number,
    count: number,
    table: number,
    slots: number,
    matches: number,
    matchStarts: number,
    candidates: number,
    lengths: number,
  ): void
  scoreWords(
    terms: number,
    count: number,
    matches: number,
    matchStarts: number,
    lengths: number,
    weights: number,
    found: number,
    k1: number,
    b: number,
    mean: number,
    out: number,
  ): void
  findMatches(
    count: number,
    matches: number,
    matchStarts: number,
    places: number,
    weights: number,
    whole: number,
    windowTerms: number,
    marks: number,
    changes: number,
    out: number,
  ): void
  words(
    units: number,
    length: number,
    title: number,
    normalized: number,
    marks: number,
    table: number,
    stems: number,
    place: number,
    tokens: number,
    terms: number,
    order: number,
    out: number,
  ): number
}
