/** Whether the tests take their time, as `npm run test:slow` does with each file that imports this one. */
export const thorough = process.env['KITH_SLOW'] !== undefined

/** How often fast-check tries a property: ten times as often if the tests are thorough. */
export function tries(count: number): { numRuns: number } {
  return { numRuns: thorough ? 10 * count : count }
}
