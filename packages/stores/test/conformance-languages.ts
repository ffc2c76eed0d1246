import { type TokenizerName, termStatistics } from '@kith/core'
import { expect, it } from 'vitest'
import { documents, type StoreInUse } from './store-under-test.ts'

const german = [
  'Die Bienen fliegen zu den Häusern',
  'Ein Haus am See',
  'Wespen bauen Nester aus Papier',
]
const japanese = ['蜜蜂は花の蜜を集める', '東京の天気は晴れ', '雀蜂は紙で巣を作る']

/** A store counts the terms of its texts by one tokenizer, which it remembers. */
export function keepsTokenizer({ store, use }: StoreInUse): void {
  const given = (texts: readonly string[]) =>
    texts.map((text, i) => ({ ...documents[i]!, title: `t${i}`, text }))
  const wholes = (texts: readonly string[]) => texts.map((text, i) => `t${i} ${text}`)

  it.runIf(store.texts)('counts German terms, and finds German words', async () => {
    const tokenizer = 'german'
    await use((opened) => opened.add(given(german).slice(0, 2)), { tokenizer })
    // Nobody names the tokenizer again.
    await use(async (opened) => {
      const two = termStatistics(wholes(german).slice(0, 2), { tokenizer })
      expect(await opened.terms()).toEqual(two)
      await opened.add(given(german).slice(2))
      expect(await opened.terms()).toEqual(termStatistics(wholes(german), { tokenizer }))
      await opened.index!()
    })
    await use(async (opened) => {
      const found = await opened.searchWords!('die Biene und die Häuser', { top: 3 })
      expect(found[0]).toBe('d0')
      expect(await opened.searchWords!('das Nest', { top: 3 })).toEqual(['d2'])
      expect(await opened.remove(['d1'])).toBe(1)
      const rest = wholes(german).filter((_, i) => i !== 1)
      expect(await opened.terms()).toEqual(termStatistics(rest, { tokenizer }))
    })
  })

  it.runIf(store.texts)('counts Japanese terms', async () => {
    const tokenizer = 'japanese'
    await use((opened) => opened.add(given(japanese)), { tokenizer })
    await use(async (opened) => {
      expect(await opened.terms()).toEqual(termStatistics(wholes(japanese), { tokenizer }))
      await opened.index!()
      // PostgreSQL cannot split Japanese texts.
      const found = store.name === 'LanceDB' ? ['d0'] : []
      expect(await opened.searchWords!('蜜蜂', { top: 1 })).toEqual(found)
    })
  })

  it.runIf(store.texts)('finds the words of code', async () => {
    const code = [
      'def parse_http(text): return text',
      'def open_file(name): pass',
      'class Nest: pass',
    ]
    await use((opened) => opened.add(given(code)), { tokenizer: 'code' })
    await use(async (opened) => {
      expect((await opened.terms())!.tokenizer).toBe('code')
      await opened.index!()
      expect(await opened.searchWords!('parse_http', { top: 1 })).toEqual(['d0'])
      expect(await opened.searchWords!('how to open a file', { top: 1 })).toEqual(['d1'])
    })
  })

  it.runIf(store.texts)('counts all texts again for another tokenizer', async () => {
    const [first, ...others] = given(german)
    const counted = (tokenizer: TokenizerName) => termStatistics(wholes(german), { tokenizer })
    await use(async (opened) => {
      await opened.add([first!, others[0]!])
      await opened.index!()
    })
    await use((opened) => opened.replace(others), { tokenizer: 'german' })
    await use(async (opened) => {
      expect(await opened.terms()).toEqual(counted('german'))
      // Until the next index, words are found by the one of before.
      expect(await opened.searchWords!('Häusern', { top: 3 })).toContain('d0')
      await opened.index!()
      expect(await opened.searchWords!('das Nest', { top: 3 })).toEqual(['d2'])
    })
    await use((opened) => opened.replace(others), { tokenizer: 'english' })
    await use(async (opened) => expect(await opened.terms()).toEqual(counted('english')))
  })

  it('refuses a tokenizer that it cannot store', async () => {
    const [asked, problem] = store.texts
      ? ['auto', 'setting tokenizer of a store must be the name of a tokenizer']
      : ['german', 'keeps no texts']
    await expect(use((opened) => opened.count(), { tokenizer: asked })).rejects.toThrow(problem)
  })
}
