/** The version of all of Kith's packages, held to their package.json files by test/packages.test.ts: a bundled program has none. */
export const version = '0.1.0'
