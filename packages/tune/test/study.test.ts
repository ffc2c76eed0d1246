import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { createEvaluator, type Evaluator } from '../src/evaluate/evaluator.ts'
import { StudyFile } from '../src/settings/study-file.ts'
import { type TuneOptions, tune } from '../src/tune.ts'
import { randomCollection } from './support.ts'

const folder = temporaryFolder()
const options: TuneOptions = { measure: 'nDCG@10', trials: 44, folds: 3, seed: 4, fingerprint: 'x' }

function evaluator(workers = 0): Evaluator {
  return createEvaluator(randomCollection(2, { queries: 55 }), { measure: 'nDCG@10', workers })
}

/** How often settings were measured, which a resumed study need not do again. */
function counted(own: Evaluator): Evaluator & { settings: number } {
  const result = {
    ...own,
    settings: 0,
    evaluate: (...batch: Parameters<Evaluator['evaluate']>) => {
      result.settings += batch[0].length
      return own.evaluate(...batch)
    },
  }
  return result
}

const whole = join(folder, 'whole.jsonl')
const uninterrupted = tune(evaluator(), { ...options, study: whole })

test('lists its trials, the first rounds the same in all studies', async () => {
  await uninterrupted
  const [head, ...lines] = readFileSync(whole, 'utf8').trimEnd().split('\n')
  expect(JSON.parse(head!)).toMatchObject({ kith: 'study', seed: 4, folds: 3, queries: 55 })
  const trials = lines.map((line) => JSON.parse(line))
  expect(trials.length).toBe(4 * 44)
  const of = (study: number) => trials.filter((trial) => trial.study === study)
  const parameters = (study: number) => of(study).map((trial) => trial.parameters)
  expect(parameters(1).slice(0, 24)).toEqual(parameters(0).slice(0, 24))
  expect(parameters(1).slice(24)).not.toEqual(parameters(0).slice(24))
  // Each study sees other queries, and so other values of the same settings.
  expect(of(1)[0].value).not.toBe(of(2)[0].value)
})

test('ends with the same result and the same file after a stop at any byte', async () => {
  const expected = await uninterrupted
  const text = readFileSync(whole, 'utf8')
  for (const part of [0, 0.001, 0.2, 0.35, 0.61, 0.998, 1]) {
    const study = join(folder, `cut-${part}.jsonl`)
    writeFileSync(study, text.slice(0, Math.floor(text.length * part)))
    const again = counted(evaluator())
    expect(await tune(again, { ...options, study })).toEqual(expected)
    expect(readFileSync(study, 'utf8')).toBe(text)
    // The default, and the best of each fold, are measured again in any case.
    if (part === 1) expect(again.settings).toBe(4)
  }
})

test('ends with the same result after an abort, with other workers', async () => {
  const study = join(folder, 'aborted.jsonl')
  const controller = new AbortController()
  const first = evaluator()
  const stopped = tune(first, {
    ...options,
    study,
    signal: controller.signal,
    onProgress: (done, total) => {
      expect(total).toBe(4 * 44)
      if (done === 4 * 16) controller.abort(new Error('enough'))
    },
  })
  await expect(stopped).rejects.toThrow('enough')
  expect(readFileSync(study, 'utf8').trimEnd().split('\n').length).toBe(1 + 4 * 16)
  const second = evaluator(2)
  expect(await tune(second, { ...options, study })).toEqual(await uninterrupted)
  await second.close()
  expect(readFileSync(study, 'utf8')).toBe(readFileSync(whole, 'utf8'))
})

test('reports first how many trials a resumed study has, and then the trials that it measures', async () => {
  await uninterrupted
  const study = join(folder, 'told.jsonl')
  const lines = readFileSync(whole, 'utf8').split('\n')
  writeFileSync(study, `${lines.slice(0, 1 + 4 * 16).join('\n')}\n`)
  const told: number[] = []
  await tune(evaluator(), { ...options, study, onProgress: (done) => told.push(done) })
  expect(told[0]).toBe(4 * 16)
  expect(told.at(-1)).toBe(4 * 44)
  const fresh: number[] = []
  await tune(evaluator(), { ...options, onProgress: (done) => fresh.push(done) })
  expect(fresh[0]).toBe(0)
})

test('continues to more trials', async () => {
  const study = join(folder, 'longer.jsonl')
  await tune(evaluator(), { ...options, study, trials: 20 })
  expect(await tune(evaluator(), { ...options, study })).toEqual(await uninterrupted)
})

test('refuses the study of other inputs, another file, and a damaged line', async () => {
  await uninterrupted
  const study = join(folder, 'refused.jsonl')
  writeFileSync(study, readFileSync(whole))
  for (const other of [{ seed: 5 }, { fingerprint: 'y' }, { folds: 4 }, { base: { k: 3 } }]) {
    await expect(tune(evaluator(), { ...options, ...other, study })).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining(study),
    })
  }
  expect(readFileSync(study)).toEqual(readFileSync(whole))
  const notes = join(folder, 'notes.txt')
  for (const text of ['my notes', 'my notes\nof today\n']) {
    writeFileSync(notes, text)
    await expect(StudyFile.open(notes, {})).rejects.toMatchObject({ code: 'BAD_FILE' })
    expect(readFileSync(notes, 'utf8')).toBe(text)
  }
  for (const line of ['{"study":0', '{"study":0,"trial":1,"parameters":{},"value":null}', '7']) {
    const damaged = join(folder, 'damaged.jsonl')
    writeFileSync(damaged, '{"kith":"study","version":1}\n')
    appendFileSync(damaged, `${line}\n`)
    await expect(StudyFile.open(damaged, {})).rejects.toThrow(`${damaged}:2:`)
  }
})
