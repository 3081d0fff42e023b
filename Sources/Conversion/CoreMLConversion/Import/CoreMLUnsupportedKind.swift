import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// A kind of Core ML model that cannot be converted: what it is, and where its network is, if it
/// has one.
struct CoreMLUnsupportedKind {
  enum Network {
    /// The model is not a network.
    case none
    /// The network is part of Apple's systems.
    case inSystem
    /// The computation is defined elsewhere, or in an undocumented form.
    case elsewhere(String)
  }

  /// What it is: a noun phrase with its article.
  let phrase: String
  let network: Network

  private init(_ phrase: String, _ network: Network = .none) {
    self.phrase = phrase
    self.network = network
  }

  /// The kinds that cannot be read, by their names in `Schemas/coreml.proto`.
  static let all: [String: CoreMLUnsupportedKind] = [
    "arrayFeatureExtractor": .init("a step that takes elements of an array"),
    "audioFeaturePrint": .init("Apple's feature extractor for sounds", .inSystem),
    "bayesianProbitRegressor": .init("a Bayesian probit regression"),
    "categoricalMapping": .init("a step that maps categories to others"),
    "classConfidenceThresholding": .init("a step that compares confidences with thresholds"),
    "customModel": .init("a custom model", .elsewhere("its code is in an app")),
    "dictVectorizer": .init("a step that makes a vector of a dictionary"),
    "featureVectorizer": .init("a step that makes one vector of several features"),
    "gazetteer": .init("a gazetteer of Create ML, which looks words up", .inSystem),
    "glmClassifier": .init("a logistic regression (generalized linear classifier)"),
    "glmRegressor": .init("a linear regression (generalized linear model)"),
    "identity": .init("a step that changes nothing"),
    "imputer": .init("a step that fills in missing values"),
    "itemSimilarityRecommender": .init("a recommender by the similarity of items"),
    "kNearestNeighborsClassifier": .init("a nearest-neighbors classifier"),
    "linkedModel": .init("a link to another model", .elsewhere("the model is in another file")),
    "normalizer": .init("a step that normalizes a vector"),
    "oneHotEncoder": .init("a step that encodes categories as one-hot vectors"),
    "scaler": .init("a step that shifts and scales features"),
    "serializedModel": .init(
      "a serialized model", .elsewhere("its form is Apple's own and not documented")),
    "soundAnalysisPreprocessing": .init("Apple's preprocessing of sounds", .inSystem),
    "supportVectorClassifier": .init("a support vector machine"),
    "supportVectorRegressor": .init("a support vector machine"),
    "textClassifier": .init("a text classifier of Create ML", .inSystem),
    "treeEnsembleClassifier": .init("an ensemble of decision trees"),
    "treeEnsembleRegressor": .init("an ensemble of decision trees"),
    "visionFeaturePrint": .init("Apple's feature extractor for images", .inSystem),
    "wordEmbedding": .init("a word embedding of Create ML", .inSystem),
    "wordTagger": .init("a word tagger of Create ML", .inSystem),
  ]

  /// Whether it has a network, wherever that is.
  fileprivate var hasNetwork: Bool { if case .none = network { false } else { true } }

  /// The clause of a refusal that follows the kind's phrase.
  fileprivate var explanation: String {
    switch network {
    case .none: "which is no neural network"
    case .inSystem: "whose network is a part of Apple's systems and not in the file"
    case .elsewhere(let reason): "which holds no network: \(reason)"
    }
  }

  /// What the user can do.
  fileprivate var advice: String {
    switch network {
    case .none: "neural networks can be read, and pipelines of them with non-maximum suppression"
    case .inSystem: "it runs with Core ML only; a model that brings its own layers can be converted"
    case .elsewhere: "give the model that it was made from"
    }
  }
}

extension CoreMLOutline {
  /// The reason why the model cannot be read; `nil` for a network, and for a pipeline of networks.
  var refusal: WeighbridgeError? {
    if let programRefusal { return programRefusal }
    guard members.isEmpty else { return pipelineRefusal }
    guard let kind = CoreMLUnsupportedKind.all[self.kind] else { return nil }
    return .unsupported(
      "is \(kind.phrase) (Core ML \(self.kind), specification \(specificationVersion)), "
        + "\(kind.explanation); \(kind.advice)")
  }

  /// The reason why an ML Program cannot be read; `nil` for one that can, and for other models.
  private var programRefusal: WeighbridgeError? {
    guard kind == "mlProgram" else { return nil }
    let states = states + functions.flatMap(\.states)
    guard states.isEmpty else {
      return .unsupported(
        "is an ML Program that keeps the states \(states.map(\.name).joined(separator: ", ")) "
          + "between runs, and programs without states can be read")
    }
    guard functions.count > 1 else { return nil }
    let names = functions.map(\.name).joined(separator: ", ")
    return .unsupported(
      "is an ML Program with the functions \(names), and programs with one can be read")
  }

  private var pipelineRefusal: WeighbridgeError? {
    let names = memberKinds
    let refused = names.compactMap { name in CoreMLUnsupportedKind.all[name].map { (name, $0) } }
    // If there are several reasons, prefer one that needs another file.
    guard let (name, kind) = refused.first(where: { $0.1.hasNetwork }) ?? refused.first else {
      return nil
    }
    let product = createMLProduct.map { ", as Create ML makes \($0)" } ?? ""
    return .unsupported(
      "is a pipeline of \(names.joined(separator: ", "))\(product): \(name) is \(kind.phrase), "
        + "\(kind.explanation); \(kind.advice)")
  }

  /// The kinds of a pipeline's members, and of their members.
  var memberKinds: [String] {
    members.flatMap { $0.members.isEmpty ? [$0.kind] : $0.memberKinds }
  }

  /// The kind of model that Create ML builds from such members; `nil` for others.
  private var createMLProduct: String? {
    let names = memberKinds
    guard let last = names.last, names.count > 1 else { return nil }
    let isClassifier = last.hasSuffix("Classifier")
    switch names[0] {
    case "visionFeaturePrint" where isClassifier: return "an image classifier"
    case "visionFeaturePrint" where last == "nonMaximumSuppression": return "an object detector"
    case "audioFeaturePrint" where isClassifier, "soundAnalysisPreprocessing" where isClassifier:
      return "a sound classifier"
    default: return nil
    }
  }
}
