import type { BadLine, ParsedLine } from './line.ts'

/** A line or row of a file, checked. `characters`: of its text, which bound a batch. */
export type ImportEntry = { parsed: ParsedLine | BadLine; characters: number }

/** The file cannot be imported. The message names the reason and the next step. */
export class UnusableFile extends Error {}
