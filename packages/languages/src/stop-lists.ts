import { stopwords as arabic } from '@orama/stopwords/arabic'
import { stopwords as bulgarian } from '@orama/stopwords/bulgarian'
import { stopwords as danish } from '@orama/stopwords/danish'
import { stopwords as dutch } from '@orama/stopwords/dutch'
import { stopwords as english } from '@orama/stopwords/english'
import { stopwords as finnish } from '@orama/stopwords/finnish'
import { stopwords as french } from '@orama/stopwords/french'
import { stopwords as german } from '@orama/stopwords/german'
import { stopwords as greek } from '@orama/stopwords/greek'
import { stopwords as hungarian } from '@orama/stopwords/hungarian'
import { stopwords as hindi } from '@orama/stopwords/indian'
import { stopwords as indonesian } from '@orama/stopwords/indonesian'
import { stopwords as italian } from '@orama/stopwords/italian'
import { stopwords as norwegian } from '@orama/stopwords/norwegian'
import { stopwords as portuguese } from '@orama/stopwords/portuguese'
import { stopwords as romanian } from '@orama/stopwords/romanian'
import { stopwords as russian } from '@orama/stopwords/russian'
import { stopwords as spanish } from '@orama/stopwords/spanish'
import { stopwords as swedish } from '@orama/stopwords/swedish'
import { stopwords as brokenTurkish } from '@orama/stopwords/turkish'

/** Ukrainian stop words: Orama's list has 28 words, five of them unreadable. */
const ukrainian =
  `а або але б без був була були було бути в вам вас ваш вже ви від він вона вони воно все всі втім де для до
  дуже його йому є ж з за зі і із й її їй їм їх коли крім кого кому куди котрий ледве лише ми мене мені мій
  може моя на над нам нас наш не ним ні них ну об одна один однак ось перед під після по при про проте саме
  свого своє свої свій своя себе собі та так така таке такий також там те ти тим тих то тобто тоді той тому
  тут у хоч хто хоча це цей ці цього цьому цю ця чи чий чим чого чому ще що щоб щодо як яка яке який яких
  якого які якщо яку`.split(/\s+/)

/** Frequent Vietnamese words, to detect the language; its tokenizer keeps them. */
const vietnamese =
  `và của là có được cho không trong với các những một người này đã để từ khi đến về như ở tại cũng bị ra
  vào sau trên nhiều năm theo thì mà nó họ phải hơn đó nhưng việc bởi nào gì ai`.split(/\s+/)

const lists = {
  arabic,
  bulgarian,
  // Orama's Danish list is half as long as the Norwegian one, which contains these words.
  danish: [...danish, 'fordi', 'før', 'hver', 'kan', 'mellem', 'nogen', 'uden', 'ved'],
  dutch,
  english,
  finnish,
  french,
  german,
  greek,
  hindi,
  hungarian,
  indonesian,
  italian,
  norwegian,
  portuguese,
  romanian,
  russian,
  spanish,
  swedish,
  turkish: reread(brokenTurkish),
  ukrainian,
  vietnamese,
}

/** A language with a list of frequent words. */
export type StopListName = keyof typeof lists

/** The languages with a list of frequent words. */
export const stopListNames = Object.keys(lists) as StopListName[]

const made = new Map<StopListName, readonly string[]>()

/**
 * Returns the frequent words of a language in the form that its rules get: normalized, in lower
 * case.
 */
export function stopList(name: StopListName): readonly string[] {
  let list = made.get(name)
  if (!list) {
    list = lists[name].map((word) =>
      word
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[\ufeff\u0640]/g, ''),
    )
    made.set(name, list)
  }
  return list
}

/** Corrects the letters in Orama's Turkish list that were decoded as Latin-1 instead of Latin-5. */
function reread(words: readonly string[]): string[] {
  const turkish = { þ: 'ş', ý: 'ı', ð: 'ğ' }
  return words.map((word) =>
    word.replace(/[þýð]/g, (letter) => turkish[letter as keyof typeof turkish]),
  )
}
