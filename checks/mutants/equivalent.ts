/** Mutants that no test can kill, because the code does the same. `mutation`: as the check prints it. */
export const equivalents: readonly Readonly<{ file: string; mutation: string; reason: string }>[] = []
