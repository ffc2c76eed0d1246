/** English words that say nothing about a text's subject: no terms (docs/method.md section 4). */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being ' +
    'below between both but by can could did do does doing down during each few for from further had ' +
    'has have having he her here hers him himself his how however i if in into is it its itself just ' +
    'may me might more most must my no nor not of off on once only or other our ours out over own same ' +
    'shall she should so some such than that the their theirs them themselves then there these they ' +
    'this those through thus to too under until up upon us very was we were what when where whether ' +
    'which while who whom why will with within without would you your yours'
  ).split(' '),
)
