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
