// The value and error types that appear in the API.
@_exported public import Bytes
@_exported public import ConversionCore
@_exported public import FormatRegistry
@_exported public import GraphIR
@_exported public import ModelComparison
@_exported public import ModelUse
@_exported public import Verifier
@_exported public import Vision

@_exported public import enum DarknetFormat.DarknetFork
