// Repeats requests that a busy machine prevents from being answered.

const TIMES = 20;

/** The response to what is asked; a full queue or a time limit is none: the machine is busy with other tests. */
export async function answered(ask: () => Promise<Response>): Promise<Response> {
  let response = await ask();
  for (let times = 0; [503, 504].includes(response.status) && times < TIMES; times++) response = await ask();
  return response;
}
