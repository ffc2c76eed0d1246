import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labelPresets, presets, resolveLabelSettings, resolveMethodSettings } from '@kith/core'
import { afterAll, expect, test } from 'vitest'
import { labelOptions, readLabelInputs } from '../src/commands/labels.ts'
import { settingRows } from '../src/options/set-option.ts'
import { readLabelSettings, readRanking } from '../src/options/setting-options.ts'
import { readTrainSettings, trainingTable } from '../src/options/train-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-set-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, contents: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(contents))
  return join(folder, name)
}

const texts = { texts: true }
const none = { texts: false }

test('applies a preset first, then a settings file, then --set', async () => {
  expect((await readRanking({}, none)).settings).toEqual(resolveMethodSettings(presets.balanced))
  const settings = file('own.json', { k: 7, kExp: 3 })
  const given = { preset: 'msmarco-tas-b', settings, set: ['k=9', 'weight=exp', 'trust=0.5'] }
  expect((await readRanking(given, none)).settings).toEqual({
    ...resolveMethodSettings(presets['msmarco-tas-b']),
    ...{ k: 9, kExp: 3, weight: 'exp', trust: 0.5 },
  })
})

test('sets the weights of texts by names of their own', async () => {
  const set = ['views.texts.score=0.1', 'views.texts.graph=0.4', 'mix=standard']
  expect((await readRanking({ set }, texts)).settings.views).toEqual({
    vectors: { score: 0.9, graph: 0.6 },
    texts: { score: 0.1, graph: 0.4 },
  })
})

test.each([
  [['kexp=3'], 'unknown setting "kexp", did you mean kExp?'],
  [['bm25weight=0.2'], 'did you mean bm25Weight?'],
  [['k'], '--set must be NAME=VALUE, such as k=12, got "k"'],
  [['k=many'], '--set k must be a number, got "many"'],
  [['k=0'], 'setting k must be a whole number from 1 to 16384, got 0'],
  [['weight=cubic'], 'setting weight must be one of linear, exp, binary, got "cubic"'],
  [['statistics=x'], 'unknown setting "statistics"'],
  [['feedbackDocs=3'], "setting feedbackDocs has no effect: method 'neighbors' does not use it"],
  [['bm25Weight=0.3'], 'setting bm25Weight has no effect: it needs texts'],
])('refuses --set %j', async (set, message) => {
  await expect(readRanking({ set }, none)).rejects.toThrow(message)
})

test('refuses lambda with texts, but accepts presets that contain it', async () => {
  await expect(readRanking({ set: ['lambda=0.5'] }, texts)).rejects.toThrow('lambda has no effect')
  for (const preset of Object.keys(presets)) {
    expect((await readRanking({ preset }, none)).settings).toBeDefined()
    expect((await readRanking({ preset }, texts)).settings).toBeDefined()
  }
})

test('checks the names in a settings file', async () => {
  const wrong = readRanking({ settings: file('wrong.json', { kexp: 3 }) }, none)
  await expect(wrong).rejects.toThrow('wrong.json')
  await expect(wrong).rejects.toThrow('did you mean kExp?')
  await expect(readRanking({ settings: file('list.json', []) }, none)).rejects.toThrow(
    'must be a JSON object',
  )
  await expect(readRanking({ settings: join(folder, 'no.json') }, none)).rejects.toThrow(
    'no such file',
  )
})

test('reports the recipe of labels', async () => {
  const { settings, recipe } = await readLabelSettings({ set: ['boost=3'] }, none)
  expect(settings).toEqual(resolveLabelSettings({ boost: 3 }))
  expect(recipe).toBe('preset balanced with boost=3')
  const paper = await readLabelSettings({ preset: 'paper-cocondenser' }, none)
  expect([paper.settings, paper.recipe]).toEqual([
    labelPresets['paper-cocondenser'],
    'preset paper-cocondenser',
  ])
})

test('uses texts with the preset joint-texts', async () => {
  const given = { run: 'r', queries: 'q', docs: 'd', qrels: 'j', out: 'o', corpus: 'c' }
  const { inputs } = await readLabelInputs({ ...given, 'query-text': 't', preset: 'joint-texts' })
  expect(inputs.texts).toBe(true)
  expect(inputs.settings).toMatchObject({
    target: 'joint',
    labelDepth: 4,
    boost: 3,
    contextSize: 200,
  })
  expect(Object.keys(labelOptions)).not.toContain('label-depth')
})

test('reads the values of labels from --format', async () => {
  const files = { run: 'r', queries: 'q', docs: 'd', qrels: 'j', out: 'o' }
  const given = { ...files, corpus: 'c', 'query-text': 't' }
  const read = async (format: string) => (await readLabelInputs({ ...given, format })).inputs
  expect(await read('listwise:logit')).toMatchObject({ format: 'listwise', values: 'logit' })
  expect(await read('listwise')).toMatchObject({ format: 'listwise', values: undefined })
  for (const wrong of [
    'listwise:',
    'listwise:odds',
    'listwise:logit:logit',
    'list:logit',
    ':logit',
  ]) {
    await expect(read(wrong)).rejects.toThrow(/--format (takes|must be)/)
  }
})

test('sets training, label and teacher settings by one option in kith train', async () => {
  const paper = await readTrainSettings({ preset: 'paper-tas-b' })
  expect(paper.settings).toMatchObject({ learningRate: 1.73e-6, warmup: 9000 })
  expect(paper.settings.target).toEqual(labelPresets['paper-tas-b'])
  expect(paper.recipe).toBe('preset paper-tas-b, target mixed')
  const own = await readTrainSettings({ target: 'joint', set: ['boost=3', 'batchSize=8'] })
  expect(own.settings).toMatchObject({ batchSize: 8, target: { target: 'joint', boost: 3 } })
  const taught = await readTrainSettings({ target: 'distil', set: ['depth=20', 'warmup=3'] })
  expect([taught.distil, taught.settings.warmup, taught.settings.target]).toEqual([
    { depth: 20 },
    3,
    undefined,
  ])
})

test.each([
  [{ set: ['boost=3'] }, 'setting boost has no effect: boost needs --target'],
  [{ set: ['depth=3'] }, 'setting depth has no effect: depth needs --target distil'],
  [
    { set: ['patience=3'] },
    "setting patience has no effect: it needs schedule 'plateau', not 'linear'",
  ],
  [{ set: ['steps=3', 'epochs=2'] }, 'steps and epochs cannot be combined'],
  [{ set: ['shrinkage=3'] }, 'setting shrinkage has no effect: shrinkage needs --adapter linear'],
  [
    { adapter: 'linear', set: ['learningRate=1e-3'] },
    'setting learningRate has no effect: learningRate works only for training by steps, and --adapter linear is fitted; leave it out',
  ],
  [{ adapter: 'linear', set: ['inverseTemperature=20'] }, 'inverseTemperature has no effect'],
  [{ adapter: 'linear', set: ['topLayers=2'] }, 'topLayers has no effect'],
  [{ set: ['holdOut=2'] }, 'setting holdOut must be'],
  [{ set: ['batchSize=0'] }, 'setting batchSize must be'],
])('refuses %j in kith train', async (values, message) => {
  await expect(readTrainSettings(values)).rejects.toThrow(message)
})

test('has a row in the help for every setting', () => {
  const rows = settingRows(trainingTable)
  expect(rows.find(([left]) => left.startsWith('learningRate='))).toEqual([
    'learningRate=NUMBER',
    'peak learning rate (default: 3e-5 for an encoder, 1e-3 for an adapter)',
  ])
  expect(rows.map(([left]) => left.split('=')[0])).toEqual([
    ...new Set(rows.map(([left]) => left.split('=')[0])),
  ])
})
