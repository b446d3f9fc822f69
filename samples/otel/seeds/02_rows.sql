-- Traces and log records of three services in the six hours before loading, for trying the endpoints without a collector.
-- Every choice is a hash of the number of the trace.

INSERT INTO otel.otel_traces
    (Timestamp, TraceId, SpanId, ParentSpanId, SpanName, SpanKind, ServiceName, ResourceAttributes, ScopeName,
     SpanAttributes, Duration, StatusCode, StatusMessage)
WITH
    cityHash64(number) AS seed,
    seed % 25 = 0 AS fails,
    (5 + seed % 40 + if(seed % 50 = 7, 1800, 0)) * 1000000 AS duration,
    ['GET /products', 'GET /orders', 'POST /orders'][1 + seed % 3] AS route,
    -- one that the examples ask for
    if(number = 3, '0af7651916cd43dd8448eb211c80319c', lower(hex(sipHash128(number)))) AS trace_id,
    (what) -> lower(hex(sipHash64(number, what))) AS span_id,
    -- service, span, its parent, kind, duration, attributes
    [('gateway', route, '', 'Server', duration * 3,
        map('http.request.method', splitByChar(' ', route)[1], 'url.path', splitByChar(' ', route)[2],
            'http.response.status_code', if(fails, '502', '200'))),
     ('shop', route, 'gateway', 'Server', duration * 2, map('http.route', splitByChar(' ', route)[2])),
     ('database', 'SELECT', 'shop', 'Client', duration, map('db.system.name', 'postgresql'))] AS spans
SELECT
    now64(9) - toIntervalSecond(10 * number + 20) + toIntervalMillisecond(depth) AS Timestamp,
    trace_id,
    span_id(span.1),
    if(span.3 = '', '', span_id(span.3)),
    span.2,
    span.4,
    span.1,
    map('service.name', span.1, 'deployment.environment.name', 'production'),
    'example',
    span.6,
    span.5,
    if(fails AND span.1 != 'database', 'Error', 'Unset'),
    if(fails AND span.1 = 'shop', 'connection refused', '')
FROM numbers(2160)
ARRAY JOIN spans AS span, arrayEnumerate(spans) AS depth;

INSERT INTO otel.otel_logs
    (Timestamp, TraceId, SpanId, SeverityText, SeverityNumber, ServiceName, Body, ResourceAttributes, ScopeName,
     LogAttributes)
SELECT
    Timestamp + toIntervalMillisecond(1),
    TraceId,
    SpanId,
    if(StatusCode = 'Error', 'ERROR', if(Duration > 1000000000, 'WARN', 'INFO')) AS severity,
    transform(severity, ['ERROR', 'WARN'], [17, 13], 9),
    ServiceName,
    SpanName || if(StatusCode = 'Error', ' failed', ' took ' || toString(intDiv(Duration, 1000000)) || ' ms'),
    ResourceAttributes,
    'example',
    SpanAttributes
FROM otel.otel_traces
WHERE ServiceName != 'database';
