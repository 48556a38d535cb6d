import { readFileSync } from 'node:fs'
import type { ErrorCode } from '../errors.ts'

type ProblemWords = Readonly<{ means: string; why: string; steps: readonly string[] }>

const [, ...sections] = readFileSync(new URL('problems.md', import.meta.url), 'utf8').split(/^## /m)

/** The texts of `problems.md`. Names in steps are in backticks. A test checks that no error is missing. */
export const problemWords = Object.fromEntries(
  sections.map((section): [code: string, words: ProblemWords] => {
    const [code = '', means = '', why = '', ...steps] = section.trim().split(/\n+(?:- )?/)
    return [code, { means, why, steps }]
  }),
) as Readonly<Record<ErrorCode, ProblemWords>>
