import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { expect, test } from 'vitest'
import { findModel } from '../src/model/model.ts'
import { TextTokenizer } from '../src/tokens/text-tokenizer.ts'
import { generator } from './support.ts'

const { folder } = await findModel('minilm')
const description = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'))
const whole = new Tokenizer(description, {})
const [CLS, SEP] = [101, 102]

const parts =
  'dense Ünïcode 近傍検索 مرحبا 👩‍👩‍👧 [MASK] ##ing ΟΔΟΣ \u0301x a\u0000b\u00a0c x-y\'s "q" \n\t \ud83d'.split(
    ' ',
  )

test('tokenizes long texts in pieces as a whole', () => {
  const random = generator(1)
  const ours = new TextTokenizer('tokenizer.json', description, {}, 1_000_000)
  for (let i = 0; i < 20; i++) {
    const words = Array.from({ length: 3000 }, () => parts[Math.floor(random() * parts.length)])
    const text = words.join(random() < 0.5 ? ' ' : '  ')
    expect(ours.encode(text)).toEqual({ ids: whole.encode(text).ids, cut: false })
  }
})

test('truncates a text at the limit, and keeps the last special token', () => {
  const text = 'the cat sat on the mat'
  const { ids } = whole.encode(text)
  expect(ids.length).toBe(8)
  const encode = (most: number) =>
    new TextTokenizer('tokenizer.json', description, {}, most).encode(text)
  expect(encode(8)).toEqual({ ids, cut: false })
  expect(encode(7)).toEqual({ ids: [...ids.slice(0, 6), SEP], cut: true })
  expect(encode(3)).toEqual({ ids: [CLS, ids[1], SEP], cut: true })
})

test('refuses a tokenizer without special tokens', () => {
  const bare = { ...description, post_processor: null }
  expect(() => new TextTokenizer('tokenizer.json', bare, {}, 8)).toThrow(
    expect.objectContaining({
      code: 'BAD_FILE',
      message: expect.stringContaining('tokenizer.json'),
    }),
  )
})
