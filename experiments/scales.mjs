/**
 * Compares ways to scale similarity and BM25 scores before they are added: by mean and deviation of the
 * first 200 hits (the method), of more documents, or by the largest values
 * (docs/method.md section 4, preselection). The context is chosen from the first 200 in any case.
 *
 *   node experiments/scales.mjs FOLDER FOLDER ...
 */
import { contextFrom, contextsOf, FIRST, measure, standardize, weigh } from './contexts.mjs'
import { openCollections, printLeaveOneOut } from './leave-one-out.mjs'

/** The scaled values of the first 200, and the weights of words that are tried with them. */
const SCALES = {
  'deviation of 500': [(values) => first(standardize(values, values.slice(0, 500))), [0.35, 0.4]],
  'deviation of 1,000': [
    (values) => first(standardize(values, values.slice(0, 1000))),
    [0.25, 0.3, 0.35, 0.4],
  ],
  'the largest': [(values) => share(first(values), Math.max(...first(values))), [0.2, 0.3, 0.4]],
  'cosines as they are, words by the largest': [
    (values, isWords) =>
      isWords ? share(first(values), Math.max(...first(values))) : first(values),
    [0.1, 0.15, 0.2, 0.25],
  ],
}

const collections = await openCollections(process.argv.slice(2))
const settings = [['default', collections.map((one) => measure(one, contextsOf(one)))]]
for (const [name, [scale, weights]] of Object.entries(SCALES)) {
  for (const a of weights) {
    process.stderr.write(`${name}, a ${a} …\n`)
    const choose = ({ pool, near, words }) =>
      contextFrom(pool, weigh([1 - a, scale(near, false)], [a, scale(words, true)]))
    settings.push([
      `${name}, a ${a}`,
      collections.map((one) => measure(one, contextsOf(one, choose))),
    ])
  }
}
printLeaveOneOut(collections, settings, settings.length)

function first(values) {
  return values.slice(0, FIRST)
}

function share(values, whole) {
  return values.map((value) => value / (whole || 1))
}
