import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings, writeRun } from '@kith/ir'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { type Studio, StudioCollection, startStudio } from '../src/index.ts'

/** A query, and a document with the words that the page must mark, as they are written there. */
const examples = {
  german: {
    query: 'Wann schließt das Krankenhaus in Muenchen?',
    // A compound, the old spelling, and an umlaut of two characters.
    text: 'Die Krankenhausverwaltung in Mu\u0308nchen schliesst früh.',
    marked: ['Krankenhausverwaltung', 'Mu\u0308nchen', 'schliesst'],
  },
  japanese: {
    query: 'PC用カメラ',
    // Full-width letters and half-width katakana, whose second pair shares a character with the first.
    text: '安いＰＣとｶﾒﾗを売る店。',
    marked: ['ＰＣ', 'ｶﾒ', 'ﾗ'],
  },
  hindi: {
    query: 'पढ़ाई की किताबें',
    // The nukta as a character of its own, and in one with its letter.
    text: 'बच्चों की प\u0922\u093cाई, प\u095dाई और किताबें।',
    marked: ['की', 'प\u0922\u093cाई', 'प\u095dाई', 'किताबें'],
  },
}
const others = ['The baker sells bread.', 'A train leaves the station.', 'Ships sail at noon.']
const languages = Object.keys(examples) as (keyof typeof examples)[]

const withBrowser = browserOfFile()
const folder = temporaryFolder()
let collection: StudioCollection
let studio: Studio

beforeAll(async () => {
  const at = (name: string): string => join(folder, name)
  const texts = [...languages.map((language) => examples[language].text), ...others]
  const ids = texts.map((_, i) => `d${i}`)
  const same = (rows: number): Float32Array => new Float32Array(rows * 3).fill(0.5)
  await writeEmbeddings(at('docs.npy'), { dimensions: 3, ids }, [same(ids.length)])
  const asked = { dimensions: 3, ids: languages }
  await writeEmbeddings(at('queries.npy'), asked, [same(languages.length)])
  const lines = (entries: object[]): string => entries.map((one) => JSON.stringify(one)).join('\n')
  writeFileSync(at('corpus.jsonl'), lines(texts.map((text, i) => ({ _id: ids[i], text }))))
  const queries = languages.map((_id) => ({ _id, text: examples[_id].query }))
  writeFileSync(at('queries.jsonl'), lines(queries))
  const scores = ids.map((_, i) => -i)
  await writeRun(
    at('run.trec'),
    languages.map((query) => ({ query, ids, scores })),
  )
  collection = await StudioCollection.open({
    ...{ run: at('run.trec'), docs: at('docs.npy'), queries: at('queries.npy') },
    ...{ corpus: at('corpus.jsonl'), queryText: at('queries.jsonl') },
  })
  studio = await startStudio(collection)
})
afterAll(async () => {
  await studio.close()
  collection.close()
})

describe.skipIf(!browser)('the page', () => {
  test.each(languages)('marks the matching words of %s as they are written', async (language) => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      await page.goto(`${studio.url}?query=${language}&tokenizer=${language}`)
      const document = languages.indexOf(language)
      await page.locator(`.ranking.after button[data-document="${document}"]`).click()
      const full = page.locator('.explanation .full-text')
      await full.locator('mark').first().waitFor()
      const { text, marked } = examples[language]
      expect(await full.locator('p').first().textContent()).toBe(text)
      expect(await full.locator('mark').allTextContents()).toEqual(marked)
    })
  })
})
