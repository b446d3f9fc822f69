// Functions that no endpoint can allow: they interpret strings that the sandbox does not check, so that a consumer's string
// would choose a format, a type, a setting, a table or a file (`test/guard/sandbox/string-arguments.corpus.test.ts` finds these in the engine), or
// would keep the engine busy without an end.

/** By what makes them unsafe; names separated by whitespace. */
const UNCHECKED = {
  'a string in its call names a format': 'formatRow formatRowNoNewline groupFormat',
  'a string in its call names a type':
    'getTypeSerializationStreams structureToCapnProtoSchema structureToProtobufSchema',
  'a string in its call names a setting': `getSetting getSettingOrDefault getMergeTreeSetting getServerSetting getServerPort
    getMacro globalVariable getClientHTTPHeader`,
  'a string in its call names a table, a file or a disk': `joinGet joinGetOrNull hasColumnInTable file catboostEvaluate
    evalMLMethod __getScalar filesystemAvailable filesystemCapacity filesystemUnreserved`,
  'all its patterns are compiled together, which takes minutes and cannot be interrupted': `multiMatchAny multiMatchAnyIndex
    multiMatchAllIndices multiFuzzyMatchAny multiFuzzyMatchAnyIndex multiFuzzyMatchAllIndices`,
  'it returns the state of an aggregate function': 'numericIndexedVectorBuild',
} as const;

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(UNCHECKED).flatMap(([reason, names]) =>
    names.split(/\s+/).map((name) => [name.toLowerCase(), reason] as const),
  ),
);

/** Why the function cannot be allowed; undefined if it can. `name` in lower case. */
export function uncheckedReason(name: string): string | undefined {
  return REASONS.get(name);
}
