// Aliases of allowed functions: denying one name of a function denies its other names.

/** `alias=name` pairs, separated by whitespace; a test compares them with the engine's own list. */
const ALIASES = `
    anova=analysisOfVariance any_value=any any_value_respect_nulls=any_respect_nulls
    anyLastRespectNulls=anyLast_respect_nulls anyRespectNulls=any_respect_nulls
    anyValueRespectNulls=any_respect_nulls approx_top_count=approx_top_k array_agg=groupArray
    array_concat_agg=groupArrayArray array_remove=arrayRemove array_to_string=arrayStringConcat
    BIT_AND=groupBitAnd BIT_OR=groupBitOr BIT_XOR=groupBitXor byteSlice=substring CARDINALITY=length
    caseWithExpr=caseWithExpression caseWithoutExpr=multiIf caseWithoutExpression=multiIf ceiling=ceil
    CHAR_LENGTH=lengthUTF8 CHARACTER_LENGTH=lengthUTF8 concat_ws=concatWithSeparator COVAR_POP=covarPop
    COVAR_SAMP=covarSamp curdate=today current_date=today current_timestamp=now date_bin=toStartOfInterval
    DATE_DIFF=dateDiff date_diff=dateDiff DATE_FORMAT=formatDateTime DATE_TRUNC=dateTrunc DAY=toDayOfMonth
    DAYOFMONTH=toDayOfMonth DAYOFWEEK=toDayOfWeek DAYOFYEAR=toDayOfYear dense_rank=denseRank
    distanceCosine=cosineDistance distanceL1=L1Distance distanceL2=L2Distance
    distanceL2Squared=L2SquaredDistance distanceLinf=LinfDistance distanceLp=LpDistance
    extractAllGroups=extractAllGroupsVertical first_value=any first_value_respect_nulls=any_respect_nulls
    firstValueRespectNulls=any_respect_nulls flatten=arrayFlatten FORMAT_BYTES=formatReadableSize
    FROM_BASE64=base64Decode FROM_DAYS=fromDaysSinceYearZero FROM_UNIXTIME=fromUnixTimestamp
    from_utc_timestamp=fromUTCTimestamp group_concat=groupConcat hasAllToken=hasAllTokens
    hasAnyToken=hasAnyTokens HOUR=toHour INET6_ATON=IPv6StringToNum INET6_NTOA=IPv6NumToString
    INET_ATON=IPv4StringToNum INET_NTOA=IPv4NumToString instr=positionCaseInsensitive isASCII=isValidASCII
    JSON_ARRAY_LENGTH=JSONArrayLength LAST_DAY=toLastDayOfMonth last_value=anyLast
    last_value_respect_nulls=anyLast_respect_nulls lastValueRespectNulls=anyLast_respect_nulls lcase=lower
    levenshteinDistance=editDistance levenshteinDistanceUTF8=editDistanceUTF8 ln=log localtimestamp=now
    lpad=leftPad ltrim=trimLeft lttb=largestTriangleThreeBuckets MAP_FROM_ARRAYS=mapFromArrays
    mapContains=mapContainsKey mapFromString=extractKeyValuePairs matchPhrase=hasPhrase max_by=argMax
    median=quantile medianBFloat16=quantileBFloat16 medianBFloat16Weighted=quantileBFloat16Weighted
    medianDD=quantileDD medianDeterministic=quantileDeterministic medianExact=quantileExact
    medianExactHigh=quantileExactHigh medianExactLow=quantileExactLow
    medianExactWeighted=quantileExactWeighted
    medianExactWeightedInterpolated=quantileExactWeightedInterpolated medianGK=quantileGK
    medianInterpolatedWeighted=quantileInterpolatedWeighted medianTDigest=quantileTDigest
    medianTDigestWeighted=quantileTDigestWeighted medianTiming=quantileTiming
    medianTimingWeighted=quantileTimingWeighted MICROSECOND=toMicrosecond mid=substring
    MILLISECOND=toMillisecond min_by=argMin MINUTE=toMinute mismatches=byteHammingDistance mod=modulo
    modOrNull=moduloOrNull MONTH=toMonth NANOSECOND=toNanosecond NATURAL_SORT_KEY=naturalSortKey
    normalizeL1=L1Normalize normalizeL2=L2Normalize normalizeLinf=LinfNormalize normalizeLp=LpNormalize
    normL1=L1Norm normL2=L2Norm normL2Squared=L2SquaredNorm normLinf=LinfNorm normLp=LpNorm
    OCTET_LENGTH=length percent_rank=percentRank pmod=positiveModulo pmodOrNull=positiveModuloOrNull
    positive_modulo=positiveModulo positive_modulo_or_null=positiveModuloOrNull power=pow QUARTER=toQuarter
    rand32=rand REGEXP_EXTRACT=regexpExtract regexp_instr=regexpPosition REGEXP_MATCHES=match
    REGEXP_REPLACE=replaceRegexpAll REGEXP_SUBSTR=regexpExtract regexpInstr=regexpPosition
    removeAccentsUTF8=removeDiacriticsUTF8 replace=replaceAll rpad=rightPad rtrim=trimRight
    scalarProduct=dotProduct SECOND=toSecond splitByAlpha=alphaTokens STD=stddevPop STDDEV=stddevSamp
    STDDEV_POP=stddevPop STDDEV_SAMP=stddevSamp str_to_date=parseDateTimeOrNull
    str_to_map=extractKeyValuePairs string_agg=groupConcat substr=substring SUBSTRING_INDEX=substringIndex
    time_bucket=toStartOfInterval TIMESTAMP_DIFF=dateDiff timestamp_diff=dateDiff timestampDiff=dateDiff
    TO_BASE64=base64Encode TO_DAYS=toDaysSinceYearZero TO_UNIXTIME=parseDateTime
    to_utc_timestamp=toUTCTimestamp toStartOfFiveMinute=toStartOfFiveMinutes trim=trimBoth truncate=trunc
    ucase=upper unnest=arrayJoin UTC_timestamp=UTCTimestamp VAR_POP=varPop VAR_SAMP=varSamp
    vectorDifference=tupleMinus vectorSum=tuplePlus visitParamExtractBool=simpleJSONExtractBool
    visitParamExtractFloat=simpleJSONExtractFloat visitParamExtractInt=simpleJSONExtractInt
    visitParamExtractRaw=simpleJSONExtractRaw visitParamExtractString=simpleJSONExtractString
    visitParamExtractUInt=simpleJSONExtractUInt visitParamHas=simpleJSONHas week=toWeek
    width_bucket=widthBucket YEAR=toYear yearweek=toYearWeek`;

const NAMES: ReadonlyMap<string, string> = new Map(
  ALIASES.trim()
    .toLowerCase()
    .split(/\s+/)
    .map((pair) => {
      const [alias = '', name = ''] = pair.split('=');
      return [alias, name] as const;
    }),
);

/** The canonical name of an alias, in lower case; any other name is returned unchanged. */
export function canonicalName(folded: string): string {
  return NAMES.get(folded) ?? folded;
}
