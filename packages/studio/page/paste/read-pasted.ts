import type { HeldCollection, StudioDocument } from '../../src/studio-wire.ts'

/** Twelve made-up documents, with vectors chosen so that something moves: some belong together, others only look near. */
const documents: [text: string, relevant: boolean, vector: number[]][] = [
  ['Keeping bees: a guide for beginners', false, [0.93, 0.06, 0.34, 0.04, 0.06, 0.06]],
  ['The price of honey in Europe', false, [0.92, 0.04, 0.06, 0.05, 0.36, 0.08]],
  [
    'Bees remember the scent of flowers that gave nectar',
    true,
    [0.83, 0.42, 0.08, 0.34, 0.05, 0.06],
  ],
  ['Flower shops near the station', false, [0.9, 0.08, 0.05, 0.04, 0.08, 0.4]],
  ['Building a wooden beehive in one weekend', false, [0.88, 0.04, 0.45, 0.06, 0.12, 0.06]],
  ['Foragers dance to tell the hive where flowers are', true, [0.8, 0.44, 0.1, 0.38, 0.06, 0.08]],
  ['Wax candles, and how to store them', false, [0.86, 0.03, 0.2, 0.05, 0.45, 0.06]],
  ['Color and ultraviolet marks guide bees to blossoms', true, [0.78, 0.46, 0.08, 0.4, 0.04, 0.1]],
  ['Spelling bees: rules for teachers', false, [0.86, 0.02, 0.12, 0.3, 0.04, 0.3]],
  ['Bumblebees sense the electric field of a flower', true, [0.77, 0.45, 0.1, 0.42, 0.06, 0.08]],
  ['Landmarks and the sun lead a bee back to a meadow', true, [0.75, 0.44, 0.14, 0.44, 0.06, 0.1]],
  ['Pollen on a robot: drones that visit blossoms', false, [0.74, 0.25, 0.35, 0.15, 0.1, 0.35]],
]

/** An example of what can be pasted, as a person would write it. */
export const example = `{
  "query": { "text": "how do bees find flowers", "vector": [0.94, 0.2, 0.16, 0.12, 0.12, 0.14] },
  "documents": [
${documents
  .map(([text, relevant, vector]) => `    ${JSON.stringify({ text, relevant, vector })}`)
  .join(',\n')}
  ]
}
`

/** Maximum number of characters of JSON, documents, numbers per vector, and characters per text. */
export const limits = {
  characters: 32 * 2 ** 20,
  documents: 1000,
  dimensions: 8192,
  text: 100_000,
} as const

/** The id of the one query. */
const QUERY = 'query'
/** The depth of nDCG@10. */
const IDEAL = 10

/** A query or a document as it was pasted, checked. */
interface Item extends StudioDocument {
  vector: Float32Array
}

/**
 * A query and its candidates from JSON, as a dataset of one query. The candidates stand in the
 * order of their scores or, if one has none, of their cosines with the query.
 *
 * @param name What the page calls it.
 */
export function readPasted(json: string, name: string): HeldCollection {
  if (json.length > limits.characters) {
    throw new Error(
      `The JSON has ${json.length.toLocaleString('en')} characters, allowed: ${limits.characters.toLocaleString('en')}. Use fewer documents.`,
    )
  }
  const given = fieldsOf(parsed(json), 'The JSON')
  const query = itemOf(given['query'], QUERY)
  const documents = documentsOf(given['documents'], query)
  const texts = checkTexts([query, ...documents])
  const scored = documents.every(({ score }) => score !== undefined)
  const ranked = (
    scored ? documents : documents.map((item) => ({ ...item, score: cosine(query, item) }))
  ).toSorted((a, b) => b.score! - a.score!)
  const grades = ranked.map(({ grade }) => grade)
  const truth = [...grades.keys()].filter((place) => (grades[place] ?? 0) > 0)
  const judged = grades.some((grade) => grade !== undefined)
  const dimensions = query.vector.length
  const data = new Float32Array((ranked.length + 1) * dimensions)
  for (const [row, { vector }] of [query, ...ranked].entries()) data.set(vector, row * dimensions)
  return {
    info: {
      name,
      documents: ranked.length,
      queries: 1,
      judged: judged ? 1 : 0,
      depth: ranked.length,
      texts,
      background: false,
      level: 1,
      first: QUERY,
    },
    queries: [
      {
        query: { id: QUERY, text: texts ? query.text : undefined, relevant: truth.length },
        documents: [...ranked.keys()],
        scores: ranked.map(({ score }) => score!),
        judged,
        grades: grades.flatMap((grade, place) => (grade === undefined ? [] : [[place, grade]])),
        retrieved: ranked.length,
        missing: 0,
        truth,
        ideal: truth
          .map((place) => grades[place]!)
          .sort((a, b) => b - a)
          .slice(0, IDEAL),
      },
    ],
    documents: ranked.map(({ id, title, text }) => ({ id, title, text })),
    vectors: { data, rows: ranked.length + 1, dimensions },
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message.replace(/\s+/g, ' ')}`)
  }
}

function documentsOf(given: unknown, query: Item): Item[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new Error('"documents" must be a list with at least one document.')
  }
  if (given.length > limits.documents) {
    throw new Error(`${given.length} documents, allowed: ${limits.documents}.`)
  }
  const known = new Set<string>()
  return given.map((one, i) => {
    const item = itemOf(one, `documents[${i}]`)
    if (item.vector.length !== query.vector.length) {
      throw new Error(
        `documents[${i}].vector has ${item.vector.length} numbers, the query’s has ${query.vector.length}.`,
      )
    }
    const id = item.id === '' ? `document ${i + 1}` : item.id
    if (known.has(id)) throw new Error(`Two documents have the id ${JSON.stringify(id)}.`)
    known.add(id)
    return { ...item, id }
  })
}

function itemOf(given: unknown, where: string): Item {
  const fields = fieldsOf(given, where)
  return {
    id: textOf(fields['id'], `${where}.id`) ?? '',
    title: textOf(fields['title'], `${where}.title`),
    text: textOf(fields['text'], `${where}.text`),
    score: numberOf(fields['score'], `${where}.score`),
    grade: numberOf(gradeOf(fields['relevant']), `${where}.relevant`),
    vector: vectorOf(fields['vector'] ?? fields['embedding'], `${where}.vector`),
  }
}

/**
 * Words count if all candidates have a text. If only some have a text, the others are probably
 * missing by mistake.
 */
function checkTexts(items: readonly Item[]): boolean {
  const lacking = items.findIndex(({ text }) => text === undefined)
  if (lacking < 0) return true
  if (items.every(({ text }) => text === undefined)) return false
  const where = lacking === 0 ? 'The query' : `documents[${lacking - 1}]`
  throw new Error(`${where} has no text, but others have. Give all texts, or none.`)
}

function fieldsOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new Error(`${where} must be an object; see the format below.`)
}

/** Ids may be numbers. */
function textOf(value: unknown, where: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' && !Number.isFinite(value))
    throw new Error(`${where} must be a string.`)
  const text = String(value)
  if (text.length <= limits.text) return text
  throw new Error(`${where} has ${text.length} characters, allowed: ${limits.text}.`)
}

function numberOf(value: unknown, where: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (Number.isFinite(value)) return value as number
  throw new Error(`${where} must be a number.`)
}

/** Relevant or not, or a grade. */
function gradeOf(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value
}

function vectorOf(value: unknown, where: string): Float32Array {
  if (!Array.isArray(value) || value.length === 0 || value.length > limits.dimensions) {
    throw new Error(`${where} must be a list of 1 to ${limits.dimensions} numbers.`)
  }
  const vector = new Float32Array(value.length)
  for (let i = 0; i < value.length; i++) {
    vector[i] = typeof value[i] === 'number' ? value[i] : Number.NaN
    if (!Number.isFinite(vector[i])) throw new Error(`${where}[${i}] is not a number.`)
  }
  return vector
}

/** The cosine of two items' vectors; 0 if one has no length. */
function cosine({ vector: a }: Item, { vector: b }: Item): number {
  let [sum, squares, others] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    sum += a[i]! * b[i]!
    squares += a[i]! ** 2
    others += b[i]! ** 2
  }
  return sum / (Math.sqrt(squares * others) || 1)
}
