/** The factor that brings gradients of a length down to the longest that is allowed; 0: any is. */
export function clipFactor(norm: number, longest: number): number {
  return longest > 0 && norm > longest ? longest / norm : 1
}
