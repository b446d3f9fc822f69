// The white space of SQL, as the service reads it.

/** As the class of a regular expression, to be written in its brackets. A test compares it with that of the service. */
export const WHITE_SPACE = String.raw`\t\n\v\f\r \x85\xa0\u180e\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff`;
