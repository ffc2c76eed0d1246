/**
 * Tests other supporters than the five best hits of score fusion: more or fewer, weighted by their
 * scores, or chosen again by the scores with support
 * (docs/method.md section 4).
 *
 *   node experiments/support.mjs FOLDER FOLDER ...
 */
import { contextsOf, highest, measure, supportOf, weigh } from './contexts.mjs'
import { openCollections, printLeaveOneOut } from './leave-one-out.mjs'

const DOCS = [3, 5, 8, 12]
const WEIGHTS = [0.2, 0.3, 0.4]
/** How often supporters are chosen. */
const ROUNDS = [1, 2, 3]
/** The weight of a supporter: the same for all, or e to the power of the supporter's score. */
const COUNTS = { equal: () => 1, 'by score': Math.exp }

const collections = await openCollections(process.argv.slice(2))
const contexts = collections.map((one) => contextsOf(one))
const settings = [['default', collections.map((one, c) => measure(one, contexts[c]))]]
for (const docs of DOCS) {
  for (const weight of WEIGHTS) {
    for (const rounds of ROUNDS) {
      for (const [count, countOf] of Object.entries(COUNTS)) {
        const name = `${docs} supporters, weight ${weight}, ${rounds} rounds, ${count}`
        process.stderr.write(`${name} …\n`)
        const scoresOf = ({ g, neighbors, graph }) => {
          let scores = g
          for (let round = 0; round < rounds; round++) {
            const before = scores
            const support = supportOf(graph, highest(before, docs), (d) => countOf(before[d]))
            scores = weigh([0.8 - weight, g], [0.2, neighbors], [weight, support])
          }
          return scores
        }
        settings.push([name, collections.map((one, c) => measure(one, contexts[c], scoresOf))])
      }
    }
  }
}
printLeaveOneOut(collections, settings)
