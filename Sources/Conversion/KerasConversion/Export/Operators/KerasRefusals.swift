import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Operators that no layer and no function of both generations computes.
enum KerasRefusals {
  static let rows: [KerasRow] = [
    KerasRow(
      AutoContrast.self, unsupported: "its layer in Keras 3 works while training only"),
    KerasRow(NonMaxSuppression.self, unsupported: "no layer of Keras chooses among boxes"),
    KerasRow(HashedCrossing.self, unsupported: "Keras hashes texts and not these numbers alike"),
    KerasRow(
      IndexLookup.self, unsupported: "Keras keeps vocabularies in files of their own"),
    KerasRow(
      CLAHE.self, unsupported: "its layer in Keras 3 works while training only"),
    KerasRow(
      LocallyConnected.self, unsupported: "Keras 3 has no locally connected layers any more"),
    KerasRow(
      STFT.self, unsupported: "spectra are functions of Keras 3 only"),
    KerasRow(Hashing.self, unsupported: "Keras hashes with functions of its own"),
  ]
}
