/** WordNet's lexical files of nouns; the first one has the number 3. */
const names = [
  'Tops',
  'act',
  'animal',
  'artifact',
  'attribute',
  'body',
  'cognition',
  'communication',
  'event',
  'feeling',
  'food',
  'group',
  'location',
  'motive',
  'object',
  'person',
  'phenomenon',
  'plant',
  'possession',
  'process',
  'quantity',
  'relation',
  'shape',
  'state',
  'substance',
  'time',
]

const FIRST = 3

/** The name of a lexical file of nouns, or undefined where no noun file has that number. */
export function lexicalFile(number: number): string | undefined {
  return names[number - FIRST]
}
