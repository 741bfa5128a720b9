// An error as the Messages API words it: a status, a type for programs, a message for people.

/** The types that the API uses, each with the status it goes with. */
const STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  not_found_error: 404,
  request_too_large: 413,
  api_error: 500,
} as const;

export interface ApiError {
  status: number;
  type: string;
  message: string;
}

export function apiError(type: keyof typeof STATUS, message: string): ApiError {
  return { status: STATUS[type], type, message };
}

/** The body that carries an error, also inside a stream. */
export function errorBody(error: Omit<ApiError, 'status'>, requestId?: string): string {
  return JSON.stringify({
    type: 'error',
    error: { type: error.type, message: error.message },
    ...(requestId === undefined ? {} : { request_id: requestId }),
  });
}
