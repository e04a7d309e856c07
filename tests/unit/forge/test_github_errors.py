"""Each answer of GitHub that means no, by meaning; and what is no answer at all."""

from __future__ import annotations

import pytest
import requests
from github.GithubException import GithubException

from syncbot.forge import errors
from syncbot.forge.github_errors import reading, writing
from syncbot.model.forge import Secret


def graphql(kind: str | None, message: str = "words") -> dict:
    return {"data": None, "errors": [{"message": message} | ({"type": kind} if kind else {})]}


REFUSALS = [
    (401, {"message": "Bad credentials"}, {}, errors.BadTokenError, "not accepted"),
    (403, {"message": "Resource not accessible by integration"}, {}, errors.RefusedError, "`permissions:`"),
    (403, {"message": "Resource protected"}, {"X-GitHub-SSO": "required"}, errors.RefusedError, "single sign-on"),
    (403, {"message": "Repository was archived so is read-only."}, {}, errors.RefusedError, "is archived"),
    (
        403,
        {"message": "no"},
        {"X-Accepted-GitHub-Permissions": "contents=write"},
        errors.RefusedError,
        "contents=write",
    ),
    (404, {"message": "Not Found"}, {}, errors.NotFoundError, "hidden from this token"),
    (410, {"message": "Issues are disabled for this repo"}, {}, errors.NotFoundError, "disabled"),
    (422, {"message": "Validation Failed", "errors": ["plain words"]}, {}, errors.InvalidError, "plain words"),
    (422, {"message": "Reference already exists"}, {}, errors.AlreadyExistsError, "already exists"),
    (
        422,
        {"message": "Validation Failed", "errors": [{"field": "base", "code": "invalid"}]},
        {},
        errors.InvalidError,
        "the branch it goes to is gone",
    ),
    (451, {"message": "Unavailable"}, {}, errors.RefusedError, "451"),
    (429, {"message": "slow down"}, {}, errors.RateLimitedError, "does not say until when"),
    (400, graphql("NOT_FOUND"), {}, errors.NotFoundError, "words"),
    (400, graphql("FORBIDDEN"), {}, errors.RefusedError, "words"),
    (400, graphql("UNPROCESSABLE"), {}, errors.InvalidError, "words"),
    (400, graphql("RATE_LIMITED"), {}, errors.RateLimitedError, "rate limit"),
    (400, {"message": "Problems parsing JSON"}, {}, errors.InvalidError, "parsing"),
]
UNUSABLE = [
    GithubException(500, {"message": "oops"}, {}),
    GithubException(400, graphql(None, "Something went wrong while executing your query"), {}),
    GithubException(502, None, None),
    requests.ConnectionError("reset"),
    requests.ReadTimeout("slow"),
    requests.exceptions.SSLError("eof"),
    ValueError("half a body"),
    AssertionError("another host"),
    KeyError("head"),
]


@pytest.mark.parametrize(("status", "data", "headers", "kind", "words"), REFUSALS)
@pytest.mark.parametrize("guard", [reading, writing])
def test_a_clear_no_is_the_same_for_reads_and_writes(guard, status, data, headers, kind, words):
    with pytest.raises(kind, match="asking o/r") as caught, guard("asking o/r", []):
        raise GithubException(status, data, headers)
    assert words in str(caught.value)
    assert type(caught.value) is kind
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("error", UNUSABLE, ids=lambda error: type(error).__name__)
def test_no_usable_answer(error):
    with pytest.raises(errors.UnreachableError), reading("asking", [Secret("s")]):
        raise error
    with pytest.raises(errors.UnclearWriteError), writing("asking", [Secret("s")]):
        raise error


def test_a_connection_that_was_never_made_wrote_nothing():
    with pytest.raises(errors.UnreachableError), writing("asking", []):
        raise requests.ConnectTimeout("nobody there")


def test_what_is_no_answer_of_github_is_a_bug():
    with pytest.raises(ZeroDivisionError), reading("asking", []):
        raise ZeroDivisionError
