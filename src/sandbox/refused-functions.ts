// Functions that the engine has and consumers may not call. Not a wall (the allow-list is): it tells a refused function from a
// misspelled one, and a column from a function that the engine calls without brackets, such as CURRENT_USER.

/** Names separated by blanks. */
export const REFUSED_FUNCTIONS = `
    _CAST addressToLine addressToLineWithInlines addressToSymbol aes_decrypt_mysql aes_encrypt_mysql
    aggThrow aiClassify aiEmbed aiExtract aiGenerate aiTranslate authenticatedUser authUser blockNumber
    blockSerializedSize blockSize buildId byteSize caseWithExpression catboostEvaluate connection_id connectionId
    CURRENT_CATALOG current_database current_query_id CURRENT_ROLE CURRENT_SCHEMA current_schemas
    current_user currentDatabase currentProfiles currentQueryID currentRoles currentSchemas currentUser
    DATABASE decrypt defaultProfiles defaultRoles demangle dictGet dictGetAll dictGetChildren dictGetDate
    dictGetDateOrDefault dictGetDateTime dictGetDateTimeOrDefault dictGetDescendants dictGetFloat32
    dictGetFloat32OrDefault dictGetFloat64 dictGetFloat64OrDefault dictGetHierarchy dictGetInt16
    dictGetInt16OrDefault dictGetInt32 dictGetInt32OrDefault dictGetInt64 dictGetInt64OrDefault dictGetInt8
    dictGetInt8OrDefault dictGetIPv4 dictGetIPv4OrDefault dictGetIPv6 dictGetIPv6OrDefault dictGetKeys
    dictGetOrDefault dictGetOrNull dictGetRoot dictGetString dictGetStringOrDefault dictGetUInt16
    dictGetUInt16OrDefault dictGetUInt32 dictGetUInt32OrDefault dictGetUInt64 dictGetUInt64OrDefault
    dictGetUInt8 dictGetUInt8OrDefault dictGetUUID dictGetUUIDOrDefault dictHas dictIsIn displayName
    dumpColumnStructure enabledProfiles enabledRoles encrypt errorCodeToName estimateCompressionRatio
    evalMLMethod file filesystemAvailable filesystemCapacity filesystemUnreserved formatQuery
    formatQueryOrNull formatQuerySingleLine formatQuerySingleLineOrNull formatRow formatRowNoNewline FQDN
    fullHostName fuzzBits fuzzQuery generateRandomStructure generateSerialID getClientHTTPHeader getMacro
    getMaxTableNameLengthForDatabase getMergeTreeSetting getOSKernelVersion getServerPort getServerSetting
    getSetting getSettingOrDefault getSizeOfEnumType getTypeSerializationStreams globalVariable
    hasColumnInTable hasThreadFuzzer highlightQuery hostname icebergBucket icebergHash indexHint
    initial_query_id initial_query_start_time initialQueryID initialQueryStartTime isDynamicElementInSharedData
    isMergeTreePartCoveredBy
    joinGet joinGetOrNull JSONDynamicPaths JSONDynamicPathsWithTypes JSONSharedDataPaths
    JSONSharedDataPathsWithTypes kafkaMurmurHash logTrace lowCardinalityIndices lowCardinalityKeys mergeTreePartInfo
    minSampleSizeContinous minSampleSizeContinuous minSampleSizeConversion naiveBayesClassifier
    naiveBayesClassifierWithAllProbs naiveBayesClassifierWithProb naiveBayesNgrams neighbor nested
    normalizedQueryHash normalizedQueryHashKeepNames normalizeQuery normalizeQueryKeepNames obfuscateQuery
    obfuscateQueryWithSeed partitionId query_id queryID regionHierarchy regionIn regionToArea regionToCity
    regionToContinent regionToCountry regionToDistrict regionToName regionToPopulation regionToTopContinent
    replicate revision rowNumberInAllBlocks rowNumberInBlock runningAccumulate runningDifference
    runningDifferenceStartingWithFirstValue SCHEMA serverTimezone serverUUID session_user shardCount
    shardNum showCertificate sleep sleepEachRow stochasticLinearRegression stochasticLogisticRegression
    structureToCapnProtoSchema structureToProtobufSchema SYSTEM_USER tcpPort throwIf tid
    timeSeriesChangesToGrid timeSeriesCopyTag timeSeriesCopyTags timeSeriesDeltaToGrid timeSeriesDerivToGrid
    timeSeriesExtractTag timeSeriesFromGrid timeSeriesGroupArray timeSeriesGroupToSamplingKey
    timeSeriesGroupToTags timeSeriesIdToGroup timeSeriesIdToTags timeSeriesIdToTagsGroup
    timeSeriesIncreaseToGrid timeSeriesInstantDeltaToGrid timeSeriesInstantRateToGrid timeSeriesJoinTags
    timeSeriesLastToGrid timeSeriesLastTwoSamples timeSeriesPredictLinearToGrid timeSeriesRange
    timeSeriesRateToGrid timeSeriesRemoveAllTagsExcept timeSeriesRemoveTag timeSeriesRemoveTags
    timeSeriesReplaceTag timeSeriesResampleToGridWithStaleness timeSeriesResetsToGrid timeSeriesStoreTags
    timeSeriesTagsGroupToTags timeSeriesTagsToGroup timeSeriesThrowDuplicateSeriesIf tokenizeQuery
    transactionID transactionLatestSnapshot transactionOldestSnapshot tryDecrypt uptime user
    validateNestedArraySizes version zookeeperSessionUptime`;
