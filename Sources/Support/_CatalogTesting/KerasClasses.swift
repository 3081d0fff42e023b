/// The layer classes of Keras, by the generations that have them.
///
/// From the packages themselves: Keras 1.2.2 for generation 1; 2.0.8, 2.2.4 and 2.15.0 for 2; 3.15.1
/// for 3, without the classes of generation 1 that the first versions of 2 kept for old files. Other
/// names of the same class and classes that others only build on are left out.
enum KerasClasses {
  /// Each class with its generations, by name.
  static let all: [(name: String, generations: Set<Int>)] = groups.flatMap { group in
    group.names.map { (name: $0, generations: group.generations) }
  }.sorted { $0.name < $1.name }

  private static let groups: [(generations: Set<Int>, names: [String])] = [
    (
      [1, 2, 3],
      [
        "Activation", "ActivityRegularization", "AveragePooling1D", "AveragePooling2D",
        "AveragePooling3D", "BatchNormalization", "Bidirectional", "ConvLSTM2D", "Cropping1D",
        "Cropping2D", "Cropping3D", "Dense", "Dropout", "ELU", "Embedding", "Flatten", "GRU",
        "GaussianDropout", "GaussianNoise", "GlobalAveragePooling1D", "GlobalAveragePooling2D",
        "GlobalAveragePooling3D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D",
        "InputLayer", "LSTM", "Lambda", "LeakyReLU", "Masking", "MaxPooling1D", "MaxPooling2D",
        "MaxPooling3D", "PReLU", "Permute", "RepeatVector", "Reshape", "SimpleRNN",
        "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "TimeDistributed",
        "UpSampling1D", "UpSampling2D", "UpSampling3D", "ZeroPadding1D", "ZeroPadding2D",
        "ZeroPadding3D",
      ]
    ),
    (
      [1, 2],
      [
        "LocallyConnected1D", "LocallyConnected2D", "ThresholdedReLU",
      ]
    ),
    (
      [1],
      [
        "AtrousConvolution1D", "AtrousConvolution2D", "Convolution1D", "Convolution2D",
        "Convolution3D", "Deconvolution2D", "Highway", "MaxoutDense", "Merge", "ParametricSoftplus",
        "SReLU", "SeparableConvolution2D", "TimeDistributedDense",
      ]
    ),
    (
      [2],
      [
        "ConvLSTM2DCell", "CuDNNGRU", "CuDNNLSTM", "DenseFeatures", "RandomHeight", "RandomWidth",
      ]
    ),
    (
      [2, 3],
      [
        "Add", "AdditiveAttention", "AlphaDropout", "Attention", "Average", "CategoryEncoding",
        "CenterCrop", "Concatenate", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose",
        "Conv3D", "Conv3DTranspose", "ConvLSTM1D", "ConvLSTM3D", "DepthwiseConv1D",
        "DepthwiseConv2D", "Discretization", "Dot", "EinsumDense", "GRUCell", "GroupNormalization",
        "HashedCrossing", "Hashing", "Identity", "IntegerLookup", "LSTMCell", "LayerNormalization",
        "Maximum", "Minimum", "MultiHeadAttention", "Multiply", "Normalization", "RNN",
        "RandomBrightness", "RandomContrast", "RandomCrop", "RandomFlip", "RandomRotation",
        "RandomTranslation", "RandomZoom", "ReLU", "Rescaling", "Resizing", "SeparableConv1D",
        "SeparableConv2D", "SimpleRNNCell", "Softmax", "SpectralNormalization", "StackedRNNCells",
        "StringLookup", "Subtract", "TextVectorization", "UnitNormalization",
      ]
    ),
    (
      [3],
      [
        "AdaptiveAveragePooling1D", "AdaptiveAveragePooling2D", "AdaptiveAveragePooling3D",
        "AdaptiveMaxPooling1D", "AdaptiveMaxPooling2D", "AdaptiveMaxPooling3D", "AugMix",
        "AutoContrast", "ContrastLimitedAdaptiveHistogramEqualization", "CutMix", "Equalization",
        "FlaxLayer", "GroupQueryAttention", "JaxLayer", "MaxNumBoundingBoxes", "MelSpectrogram",
        "MixUp", "Pipeline", "RMSNormalization", "RandAugment", "RandomColorDegeneration",
        "RandomColorJitter", "RandomElasticTransform", "RandomErasing", "RandomGaussianBlur",
        "RandomGrayscale", "RandomHue", "RandomInvert", "RandomPerspective", "RandomPosterization",
        "RandomSaturation", "RandomSharpness", "RandomShear", "ReversibleEmbedding",
        "STFTSpectrogram", "Solarization", "TFSMLayer", "TorchModuleWrapper",
      ]
    ),
  ]
}
