import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { KithError, rerank } from '@kith/core'
import { readRun } from '@kith/ir'
import { searchExact } from '@kith/stores'
import { describe, expect, test } from 'vitest'

const read = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8')
const page = read('docs/errors.md')

/** The rows of a table of docs/errors.md that begin with a code; the text of the second column by code. */
function rows(table: string): [code: string, text: string][] {
  return [...table.matchAll(/^\| `([A-Z_]+)` \| (.+?) \|/gm)].map(([, code, text]) => [
    code!,
    text!,
  ])
}

const [codeTable, examples] = page.split('## Examples\n')

test('lists every code of KithErrorCode in the table of errors, and no other', () => {
  const [type] = /export type KithErrorCode =[\s\S]*?\n\n/.exec(read('packages/core/src/error.ts'))!
  const codes = [...type.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code]) => code)
  expect(codes.length).toBeGreaterThan(5)
  expect(rows(codeTable!).map(([code]) => code)).toEqual(codes)
})

describe('docs/errors.md quotes the messages of Kith', () => {
  const provoked: Record<string, () => unknown> = {
    BAD_VECTOR: () =>
      rerank(
        [1, 0],
        [
          [1, 0],
          [Number.NaN, 1],
        ],
      ),
    BAD_SHAPE: () =>
      rerank(
        [1, 0],
        [
          [1, 0],
          [1, 0, 0],
        ],
      ),
    BAD_SETTING: () => rerank([1, 0], [[1, 0]], { k: 0 }),
    BAD_INPUT: () => rerank([1, 0], { vectors: [[1, 0]], texts: ['a'] }),
    BAD_FILE: () => readBadRun(),
    ABORTED: () => searchExact(one, one, { top: 1, signal: AbortSignal.abort() }),
  }
  const one = {
    data: new Float32Array([1, 0]),
    memory: new Float32Array([1, 0]),
    rows: 1,
    dimensions: 2,
  }
  test.each(rows(examples!))('%s: %s', async (code, text) => {
    const error = await Promise.resolve()
      .then(provoked[code])
      .then(
        () => undefined,
        (thrown) => thrown,
      )
    expect(error).toBeInstanceOf(KithError)
    expect([error.code, `\`${error.message}\``]).toEqual([code, text])
  })
})

/** Reads a run with a score that is no number, by the name that the page gives it. */
async function readBadRun(): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-errors-'))
  writeFileSync(join(folder, 'run.trec'), 'q1 Q0 d1 1 high tag\n')
  try {
    return await readRun(join(folder, 'run.trec'))
  } catch (error) {
    const { code, message } = error as KithError
    throw new KithError(code, message.replace(`${folder}/`, ''))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
