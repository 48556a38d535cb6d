/** The role that answers requests: sees one customer, under row level security. */
export const readerRole = 'certdata_reader'
/** The role that imports and administers: a policy of its own lets it see every customer. */
export const operatorRole = 'certdata_operator'
