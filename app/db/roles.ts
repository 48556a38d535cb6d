/** Serves requests. Row level security limits it to one customer. */
export const readerRole = 'certdata_reader'
/** Imports and administers. A separate policy gives it access to every customer. */
export const operatorRole = 'certdata_operator'
