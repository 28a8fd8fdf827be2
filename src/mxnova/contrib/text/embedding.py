# SPDX-License-Identifier: Apache-2.0
"""Vectors of tokens, read from text files: a token and its numbers a line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ...base import data_dir
from ...core.base.doors import facade
from ...core.base.errors import (
    ArgumentError,
    AssertedError,
    FormatError,
    MissingFileError,
    UnknownNameError,
    candidates,
    shown,
)
from ...core.base.user_warnings import warn_user
from ...core.nd.array import NDArray
from ...ndarray import array, concat, zeros
from ...registry import get_create_func, get_register_func, get_registry
from .vocab import Vocabulary

__all__ = [
    "CompositeEmbedding",
    "CustomEmbedding",
    "FastText",
    "GloVe",
    "create",
    "get_pretrained_file_names",
    "register",
]


_GLOVE = ["42B.300d"]
_GLOVE += [f"6B.{n}d" for n in (50, 100, 200, 300)]
_GLOVE += ["840B.300d", *(f"twitter.27B.{n}d" for n in (25, 50, 100, 200))]

_NEWS = ("crawl-300d-2M.vec", "wiki-news-300d-1M-subword.vec", "wiki-news-300d-1M.vec")

# Wikipedias, by the codes of their languages.
_WIKIPEDIAS = """
        aa ab ace ady af ak als am ang an arc ar arz ast as av ay azb az bar bat_smg ba bcl
        be bg bh bi bjn bm bn bo bpy br bs bug bxr ca cbk_zam cdo ceb ce cho chr ch chy ckb
        co crh cr csb cs cu cv cy da de diq dsb dv dz ee el eml en eo es et eu ext fa ff
        fiu_vro fi fj fo frp frr fr fur fy gag gan ga gd glk gl gn gom got gu gv hak ha haw
        he hif hi ho hr hsb ht hu hy hz ia id ie ig ii ik ilo io is it iu jam ja jbo jv kaa
        kab ka kbd kg ki kj kk kl km kn koi ko krc kr ksh ks ku kv kw ky lad la lbe lb lez
        lg lij li lmo ln lo lrc ltg lt lv mai map_bms mdf mg mhr mh min mi mk ml mn mo mrj
        mr ms mt multi.ar multi.bg multi.ca multi.cs multi.da multi.de multi.el multi.en
        multi.es multi.et multi.fi multi.fr multi.he multi.hr multi.hu multi.id multi.it
        multi.mk multi.nl multi.no multi.pl multi.pt multi.ro multi.ru multi.sk multi.sl
        multi.sv multi.tr multi.uk multi.vi mus mwl my myv mzn nah nap na nds_nl nds ne new
        ng nl nn no nov nrm nso nv ny oc olo om or os pag pam pap pa pcd pdc pfl pih pi pl
        pms pnb pnt ps pt qu rm rmy rn roa_rup roa_tara ro rue ru rw sah sa scn sco sc sd se
        sg sh simple si sk sl sm sn so sq srn sr ss stq st su sv sw szl ta tcy tet te tg th
        ti tk tl tn to tpi tr ts tt tum tw ty tyv udm ug uk ur uz vec vep ve vi vls vo war
        wa wo wuu xal xh xmf yi yo za zea zh_classical zh_min_nan zh zh_yue zu
    """.split()


class _TokenEmbedding(Vocabulary):
    """A vocabulary whose tokens have vectors; subclasses say where these come from.

    Args:
        kwargs: arguments of Vocabulary.
    """

    pretrained_file_name_sha1: ClassVar[dict[str, str | None]] = {}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._vec_len = 0
        self._idx_to_vec: NDArray | None = None

    @property
    def vec_len(self) -> int:
        """Length of a vector."""
        return self._vec_len

    @property
    def idx_to_vec(self) -> NDArray:
        """(tokens, vec_len): the vectors, by number of their token."""
        if self._idx_to_vec is None:
            raise AssertedError(f"{type(self).__name__}.idx_to_vec: there are no vectors yet")
        return self._idx_to_vec

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> NDArray:
        """The vector of a token, or a matrix of them for a list; that of the unknown token else.

        Args:
            tokens: a token or a list of tokens.
            lower_case_backup: look for those in lower case that are not found.
        """
        single = not isinstance(tokens, (list, tuple))
        numbers = [self._number(t, lower_case_backup) for t in ([tokens] if single else tokens)]
        rows = self.idx_to_vec[array(numbers, dtype="int64")]
        return rows[0] if single else rows

    def _number(self, token: str, lower_case_backup: bool) -> int:
        number = self.token_to_idx.get(token)
        if number is None and lower_case_backup:
            number = self.token_to_idx.get(token.lower())
        return 0 if number is None else number

    def update_token_vectors(self, tokens: Any, new_vectors: NDArray) -> None:
        """Replace the vectors of tokens.

        Args:
            tokens: a token or a list of tokens; the unknown one by its name.
            new_vectors: (vec_len,) for one token, (tokens, vec_len).

        Raises:
            ArgumentError: a token has no vector, or shapes differ; nothing has changed.
        """
        what = f"{type(self).__name__}.update_token_vectors"
        listed = [tokens] if not isinstance(tokens, (list, tuple)) else list(tokens)
        unknown = [t for t in listed if t not in self.token_to_idx]
        if unknown:
            raise ArgumentError(f"{what}: tokens={shown(unknown)}: have no vectors")
        shape = (len(listed), self.vec_len)
        allowed = (shape, shape[1:]) if len(listed) == 1 else (shape,)
        if not isinstance(new_vectors, NDArray) or new_vectors.shape not in allowed:
            given = getattr(new_vectors, "shape", type(new_vectors).__name__)
            raise AssertedError(f"{what}: new_vectors: {given}: must be an array of {shape}")
        numbers = array([self.token_to_idx[t] for t in listed], dtype="int64")
        self.idx_to_vec[numbers] = new_vectors.reshape(shape)

    # Where vectors come from ---------------------------------------------------------------------

    @classmethod
    def _check_pretrained_file_names(cls, pretrained_file_name: str) -> None:
        """Raises unless the class knows a file of this name."""
        if pretrained_file_name not in cls.pretrained_file_name_sha1:
            hint = candidates(pretrained_file_name, cls.pretrained_file_name_sha1)
            raise UnknownNameError(
                f"{cls.__name__}: pretrained_file_name={shown(pretrained_file_name)}: is no "
                f"published file{hint}"
            )

    @classmethod
    def _get_pretrained_file(cls, embedding_root: str, pretrained_file_name: str) -> str:
        """The path of a published file, which must be there."""
        cls._check_pretrained_file_names(pretrained_file_name)
        name = cls.__name__.lower()
        path = os.path.join(os.path.expanduser(embedding_root), name, pretrained_file_name)
        if not os.path.isfile(path):
            raise MissingFileError(
                f"{cls.__name__}: {path}: there is no such file, and nothing is downloaded: put "
                f"{pretrained_file_name} there"
            )
        return path

    def _load_embedding(
        self,
        pretrained_file_path: str,
        elem_delim: str,
        init_unknown_vec: Callable[..., NDArray],
        encoding: str = "utf8",
    ) -> None:
        """Takes the tokens and vectors of a file."""
        unknown: list[float] | None = None
        rows: list[list[float]] = []
        for where, token, numbers in _read(pretrained_file_path, elem_delim, encoding):
            is_unknown = token == self.unknown_token and unknown is None
            if is_unknown or token not in self._token_to_idx:
                _check_length(where, token, numbers, rows[0] if rows else unknown)
            if is_unknown:
                unknown = numbers
            elif token in self._token_to_idx:
                text = f"{where}: {token!r} has several vectors: the first is taken"
                warn_user(text, UserWarning)
            else:
                self._token_to_idx[token] = len(self._idx_to_token)
                self._idx_to_token.append(token)
                rows.append(numbers)
        if not rows and unknown is None:
            raise FormatError(f"{pretrained_file_path}: no vectors")
        self._vec_len = len(rows[0] if rows else unknown)  # type: ignore[arg-type]
        n_other = len(self._idx_to_token) - len(rows)
        vectors = np.empty((len(self._idx_to_token), self._vec_len), np.float32)
        vectors[:n_other] = init_unknown_vec(shape=self._vec_len).asnumpy()
        if unknown is not None:
            vectors[0] = unknown
        if rows:
            vectors[n_other:] = rows
        self._idx_to_vec = array(vectors)

    def _build_embedding_for_vocabulary(self, vocabulary: Vocabulary | None) -> None:
        """Becomes a vocabulary, with the vectors of its tokens; None: stays as it is."""
        if vocabulary is not None:
            tokens = _checked(vocabulary).idx_to_token
            self._set_idx_to_vec_by_embeddings([self], len(tokens), tokens)
            self._index_tokens_from_vocabulary(vocabulary)

    def _index_tokens_from_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Takes over the tokens of a vocabulary and their numbers."""
        self._unknown_token = vocabulary.unknown_token
        self._reserved_tokens = vocabulary.reserved_tokens
        self._idx_to_token = list(vocabulary.idx_to_token)
        self._token_to_idx = dict(vocabulary.token_to_idx)

    def _set_idx_to_vec_by_embeddings(
        self,
        token_embeddings: Sequence[_TokenEmbedding],
        vocab_len: int,
        vocab_idx_to_token: Sequence[str],
    ) -> None:
        """Takes over the vectors of several embeddings, one behind the other.

        Args:
            token_embeddings: the embeddings.
            vocab_len: how many tokens there are.
            vocab_idx_to_token: the tokens; the first stands for unknown ones, whatever its name.
        """
        known = vocab_idx_to_token[1:vocab_len]
        found = [e.get_vecs_by_tokens([e.unknown_token, *known]) for e in token_embeddings]
        self._idx_to_vec = concat(*found, dim=1) if len(found) > 1 else found[0]
        self._vec_len = self._idx_to_vec.shape[1]


def _check_length(where: str, token: str, numbers: list[float], before: list[float] | None) -> None:
    if before is not None and len(numbers) != len(before):
        what = f"token {token!r} has {len(numbers)} numbers, tokens before have {len(before)}"
        raise AssertedError(f"{where}: {what}")


def _read(path: str, delimiter: str, encoding: str) -> Iterator[tuple[str, str, list[float]]]:
    """Lines, tokens and their numbers; lines of one number, such as a header, are left out.

    Raises:
        AssertedError: a line has no numbers.
        FormatError: something is not a number.
    """
    for at, line in enumerate(_lines(path, encoding), 1):
        where = f"{path}, line {at}"
        token, *texts = line.rstrip().split(delimiter)
        if not texts:
            raise AssertedError(f"{where}: neither token nor numbers")
        if len(texts) == 1:
            text = f"{where}: {token!r} with one number is likely a header: skipped"
            warn_user(text, UserWarning)
            continue
        try:
            yield where, token, [float(t) for t in texts]
        except ValueError as error:
            raise FormatError(f"{where}: {error}") from None


def _lines(path: str, encoding: str) -> Iterator[str]:
    try:
        with open(path, encoding=encoding) as file:
            yield from file
    except UnicodeError as error:
        raise FormatError(f"{path}: no text in {encoding}: {error}") from None
    except LookupError:
        raise ArgumentError(f"{path}: encoding={encoding!r}: must be one of Python's") from None


_KIND = "token_embedding"
_register = get_register_func(_TokenEmbedding, _KIND)
_create = get_create_func(_TokenEmbedding, _KIND)


def register(embedding_cls: type[_TokenEmbedding]) -> type[_TokenEmbedding]:
    """Lets `create` make embeddings of a class, by its name in lower case; a decorator."""
    return _register(embedding_cls)


def create(embedding_name: str, **kwargs: Any) -> _TokenEmbedding:
    """An embedding by the name of its class.

    Args:
        embedding_name: ``"glove"``, ``"fasttext"``, or a class that was registered; JSON text
            ``["name", {...}]`` says the arguments, too.
        kwargs: arguments of the class.

    Raises:
        AssertedError: no class has this name.
    """
    embedding: _TokenEmbedding = _create(embedding_name, **kwargs)
    return embedding


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """Names of the published files of an embedding, or of all, by name of the embedding.

    Raises:
        UnknownNameError: no class has this name.
    """
    classes: dict[str, Any] = get_registry(_TokenEmbedding)
    if embedding_name is None:
        return {name: list(cls.pretrained_file_name_sha1) for name, cls in classes.items()}
    name = embedding_name.lower()
    if name not in classes:
        hint = candidates(embedding_name, classes)
        raise UnknownNameError(f"embedding {embedding_name!r} is not registered{hint}")
    return list(classes[name].pretrained_file_name_sha1)


class _Published(_TokenEmbedding):
    """Vectors of a published file."""

    def __init__(
        self,
        pretrained_file_name: str,
        embedding_root: str | None = None,
        init_unknown_vec: Callable[..., NDArray] = zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        root = embedding_root or os.path.join(data_dir(), "embeddings")
        path = self._get_pretrained_file(root, pretrained_file_name)
        super().__init__(**kwargs)
        self._load_embedding(path, " ", init_unknown_vec)
        self._build_embedding_for_vocabulary(vocabulary)


_ROOT = os.path.join(data_dir(), "embeddings")


@register
class GloVe(_Published):
    """Vectors of GloVe (Pennington et al., EMNLP 2014), from files that are there.

    Args:
        pretrained_file_name: one of `get_pretrained_file_names("glove")`.
        embedding_root: directory; the file lies in ``glove`` inside.
        init_unknown_vec: makes the vector of tokens without one: called with ``shape=``.
        vocabulary: tokens to take; None: those of the file.
        kwargs: arguments of Vocabulary.
    """

    pretrained_file_name_sha1: ClassVar[dict[str, str | None]] = dict.fromkeys(
        f"glove.{name}.txt" for name in _GLOVE
    )

    def __init__(
        self,
        pretrained_file_name: str = "glove.840B.300d.txt",
        embedding_root: str = _ROOT,
        init_unknown_vec: Callable[..., NDArray] = zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, **kwargs
        )


@register
class FastText(_Published):
    """Vectors of fastText (Bojanowski et al., TACL 2017), from files that are there.

    Args:
        pretrained_file_name: one of `get_pretrained_file_names("fasttext")`.
        embedding_root: directory; the file lies in ``fasttext`` inside.
        init_unknown_vec: makes the vector of tokens without one: called with ``shape=``.
        vocabulary: tokens to take; None: those of the file.
        kwargs: arguments of Vocabulary.
    """

    pretrained_file_name_sha1: ClassVar[dict[str, str | None]] = dict.fromkeys(
        [*_NEWS, *(f"wiki.{name}.vec" for name in _WIKIPEDIAS)]
    )

    def __init__(
        self,
        pretrained_file_name: str = "wiki.simple.vec",
        embedding_root: str = _ROOT,
        init_unknown_vec: Callable[..., NDArray] = zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            pretrained_file_name, embedding_root, init_unknown_vec, vocabulary, **kwargs
        )


class CustomEmbedding(_TokenEmbedding):
    """Vectors of a file.

    Args:
        pretrained_file_path: the file: a token and its numbers a line, as many on each
            line; blank lines are an error.
        elem_delim: what stands between them.
        encoding: of the file.
        init_unknown_vec: makes the vector of tokens without one: called with ``shape=``.
        vocabulary: tokens to take; None: those of the file.
        kwargs: arguments of Vocabulary.
    """

    def __init__(
        self,
        pretrained_file_path: str,
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Callable[..., NDArray] = zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        path = os.path.expanduser(pretrained_file_path)
        if not os.path.isfile(path):
            raise ArgumentError(
                f"CustomEmbedding: pretrained_file_path={shown(pretrained_file_path)}: there is no "
                "such file"
            )
        self._load_embedding(path, elem_delim, init_unknown_vec, encoding)
        self._build_embedding_for_vocabulary(vocabulary)


class CompositeEmbedding(_TokenEmbedding):
    """The vectors of several embeddings, one behind the other.

    Args:
        vocabulary: the tokens.
        token_embeddings: an embedding, or a list of them.
    """

    def __init__(self, vocabulary: Vocabulary, token_embeddings: Any) -> None:
        super().__init__()
        single = not isinstance(token_embeddings, (list, tuple))
        parts = [token_embeddings] if single else list(token_embeddings)
        for part in parts:
            if not isinstance(part, _TokenEmbedding):
                what = f"token_embeddings: a {type(part).__name__} is no embedding"
                raise AssertedError(f"CompositeEmbedding: {what}")
        tokens = _checked(vocabulary).idx_to_token
        self._set_idx_to_vec_by_embeddings(parts, len(tokens), tokens)
        self._index_tokens_from_vocabulary(vocabulary)


def _checked(vocabulary: Any) -> Vocabulary:
    if not isinstance(vocabulary, Vocabulary):
        raise AssertedError(f"vocabulary={shown(vocabulary)}: must be a Vocabulary")
    return vocabulary


facade(__name__)
