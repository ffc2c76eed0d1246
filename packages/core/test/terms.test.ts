import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { prepareText, type TokenizerName, termSpans } from '../src/index.ts'
import { porterStem } from '../src/text/porter.ts'
import { stopWords } from '../src/text/stop-words.ts'
import { termHash } from '../src/text/term-spans.ts'
import { tokenizerNames } from '../src/text/tokenizer.ts'
import { stems } from './words-oracle.ts'

/** Examples of the rules in M. F. Porter, An algorithm for suffix stripping (1980), with the later steps applied. */
const porterExamples: Record<string, string> = {
  ...{ caresses: 'caress', ponies: 'poni', ties: 'ti', caress: 'caress', cats: 'cat' },
  ...{ feed: 'feed', agreed: 'agre', plastered: 'plaster', bled: 'bled', motoring: 'motor' },
  ...{ sing: 'sing', conflated: 'conflat', troubled: 'troubl', sized: 'size', hopping: 'hop' },
  ...{ tanned: 'tan', falling: 'fall', hissing: 'hiss', fizzed: 'fizz', failing: 'fail' },
  ...{ filing: 'file', happy: 'happi', sky: 'sky', relational: 'relat', conditional: 'condit' },
  ...{ rational: 'ration', valenci: 'valenc', hesitanci: 'hesit', digitizer: 'digit' },
  ...{ conformabli: 'conform', radicalli: 'radic', differentli: 'differ', vileli: 'vile' },
  ...{ analogousli: 'analog', vietnamization: 'vietnam', predication: 'predic' },
  ...{ operator: 'oper', feudalism: 'feudal', decisiveness: 'decis', hopefulness: 'hope' },
  ...{ callousness: 'callous', formaliti: 'formal', sensitiviti: 'sensit', sensibiliti: 'sensibl' },
  ...{ triplicate: 'triplic', formative: 'form', formalize: 'formal', electriciti: 'electr' },
  ...{ electrical: 'electr', hopeful: 'hope', goodness: 'good', revival: 'reviv' },
  ...{ allowance: 'allow', inference: 'infer', airliner: 'airlin', gyroscopic: 'gyroscop' },
  ...{ adjustable: 'adjust', defensible: 'defens', irritant: 'irrit', replacement: 'replac' },
  ...{ adjustment: 'adjust', dependent: 'depend', adoption: 'adopt', homologou: 'homolog' },
  ...{ communism: 'commun', activate: 'activ', angulariti: 'angular', homologous: 'homolog' },
  ...{ effective: 'effect', bowdlerize: 'bowdler', probate: 'probat', rate: 'rate' },
  ...{ cease: 'ceas', controll: 'control', roll: 'roll', generalizations: 'gener' },
  // His later revisions: bli instead of abli, and logi.
  ...{ possibly: 'possibl', archaeology: 'archaeolog', analogy: 'analog' },
  ...{ oscillators: 'oscil', by: 'by', yes: 'ye', say: 'sai', a: 'a' },
}

/** The terms that prepareText counts, by their hashes. */
function countsOf(text: string, tokenizer: TokenizerName): Map<number, number> {
  const { postings } = prepareText(text, { tokenizer })
  const counts = new Map<number, number>()
  for (let at = 0; at < postings.length; at += 3) {
    counts.set(postings[at + 1]! * 2 ** 32 + postings[at]!, postings[at + 2]!)
  }
  return counts
}

function countTerms(terms: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const term of terms) {
    const hash = termHash(term)
    counts.set(hash, (counts.get(hash) ?? 0) + 1)
  }
  return counts
}

function termsOf(text: string, tokenizer: TokenizerName): string[] {
  return termSpans(text, tokenizer).map(({ term }) => term)
}

describe('the tokenizer english', () => {
  test.each(Object.entries(porterExamples))('%s → %s', (word, stem) => {
    expect(porterStem(word)).toBe(stem)
  })

  test('stems words as the table of the oracle does', () => {
    for (const [word, stem] of Object.entries(stems)) {
      expect({ [word]: termsOf(word, 'english').join() }).toEqual({ [word]: stem })
    }
  })

  test('removes 132 stop words in upper and lower case', () => {
    expect(stopWords.size).toBe(132)
    for (const word of stopWords) expect(termsOf(word.toUpperCase(), 'english')).toEqual([])
    expect(prepareText('The of AND without').postings.length).toBe(0)
  })

  test('keeps words with letters other than a to z', () => {
    expect(termsOf('cafés naïve 1960s b52s Straßen running', 'english')).toEqual([
      ...['cafés', 'naïve', '1960s', 'b52s', 'straßen', 'run'],
    ])
  })
})

test('the tokenizer plural removes stop words and applies the S stemmer', () => {
  const examples = {
    ...{ queries: 'query', flies: 'fly', series: 'sery', eies: 'eies', aies: 'aies' },
    ...{ boxes: 'boxe', shoes: 'shoes', trees: 'trees', toes: 'toes', cases: 'case' },
    ...{ cats: 'cat', bus: 'bus', glass: 'glass', running: 'running', s: '', the: '' },
  }
  for (const [word, term] of Object.entries(examples)) {
    expect({ [word]: termsOf(word, 'plural').join() }).toEqual({ [word]: term })
  }
})

test('the tokenizer prefix5 removes stop words and keeps the first five characters', () => {
  expect(termsOf('The boundaries of 1960s naïvely 𝒳𝒴𝒵abcd flow', 'prefix5')).toEqual([
    ...['bound', '1960s', 'naïve', '𝒳𝒴𝒵ab', 'flow'],
  ])
})

test('the tokenizer none keeps all words unchanged, stop words included', () => {
  expect(termsOf('The Layers of the wing', 'none')).toEqual(['the', 'layers', 'of', 'the', 'wing'])
})

test('names the import that a tokenizer needs', () => {
  const entry = (name: string) =>
    JSON.stringify(new URL(`../dist/${name}.js`, import.meta.url).href)
  const program = `
    import { prepareText } from ${entry('index')}
    const told = (tokenizer) => {
      try {
        return prepareText('parseHTTPResponse', { tokenizer }).postings.length / 3
      } catch ({ message }) {
        return message
      }
    }
    const names = ['code', 'japanese', 'english+thai', 'english+german']
    const before = names.map(told)
    await import(${entry('tokenizers')})
    console.log(JSON.stringify([before, names.map(told)]))`
  const args = ['--input-type=module', '--eval', program]
  const [before, after] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  const own = (name: string) =>
    `tokenizer '${name}' is not loaded; import '@kith/core/tokenizers' first`
  const german = (name: string) =>
    `tokenizer '${name}' needs the package @kith/languages; install it and import '@kith/languages' first`
  expect(before).toEqual([
    ...['code', 'japanese', 'english+thai'].map(own),
    german('english+german'),
  ])
  expect(after).toEqual([4, 1, 1, german('german')])
})

test('calls a function as tokenizer, which returns each term as often as it occurs', () => {
  const seen: string[] = []
  const tokenizer = (text: string) => {
    seen.push(text)
    return text.split(',')
  }
  const prepared = prepareText('a b,the,the', { tokenizer })
  expect(seen).toEqual(['a b,the,the'])
  expect(prepared.tokenizer).toBe('function')
  const counts = Array.from({ length: 2 }, (_, i) => prepared.postings[i * 3 + 2])
  expect(counts.sort()).toEqual([1, 2])
  for (const wrong of [() => 'a b', () => [1], () => undefined]) {
    expect(() => prepareText('x', { tokenizer: wrong as never })).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
  }
  expect(() => termSpans('x', tokenizer as never)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
})

test.each(tokenizerNames)(
  'leaves a word of more than 64 characters unchanged, tokenizer %s',
  (tokenizer) => {
    const longest = `${'ab'.repeat(30)}ings`
    expect(termsOf(longest, tokenizer)).not.toEqual(tokenizer === 'none' ? [] : [longest])
    expect(termsOf(`${longest}s`, tokenizer)).toEqual([`${longest}s`])
    expect(countsOf(`${longest}s`, tokenizer)).toEqual(countTerms([`${longest}s`]))
    // Also beside a letter that takes the general way.
    expect(countsOf(`${longest}s é`, tokenizer)).toEqual(countTerms([`${longest}s`, 'é']))
  },
)

test.each(tokenizerNames)(
  'counts the same terms by the ASCII path and by the Unicode path, tokenizer %s',
  (tokenizer) => {
    const words = fc.array(fc.constantFrom(...Object.keys(stems), ...Object.keys(porterExamples)))
    fc.assert(
      fc.property(words, (list) => {
        const text = list.join(' ')
        // The é makes the whole text take the general way.
        const general = countsOf(`${text} é`, tokenizer)
        general.delete(termHash('é'))
        expect(general).toEqual(countsOf(text, tokenizer))
      }),
      tries(40),
    )
  },
)

test.each(tokenizerNames)(
  'returns spans of the counted terms at their positions, tokenizer %s',
  (tokenizer) => {
    const word = fc.constantFrom(
      ...Object.keys(porterExamples),
      ...[
        'The',
        'ΟΔΟΣ',
        'İstanbul',
        'cafe\u0301',
        '東京都',
        'の',
        'ที่นี่',
        'हिन्दी',
        '葛\u{e0100}飾',
        '한국어',
        '𝒳',
        '½',
      ],
    )
    const text = fc
      .array(
        fc.oneof(word, fc.string({ unit: 'binary' }), fc.constantFrom(' ', '-', '. ', '\u0301')),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (any) => {
        const spans = termSpans(any, tokenizer)
        expect(countTerms(spans.map(({ term }) => term))).toEqual(countsOf(any, tokenizer))
        let before = 0
        for (const { term, start, end } of spans) {
          expect(start >= before && end > start && end <= any.length).toBe(true)
          before = start
          expect(termsOf(any.slice(start, end), tokenizer)).toEqual([term])
        }
      }),
      tries(100),
    )
  },
)
